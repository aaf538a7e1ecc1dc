import type { JsonObject } from "@gatehouse/json-rpc";
import type { Argument, ArgumentShape } from "../domain/arguments.ts";
import { newProxyEndpointArguments, proxyEndpointChangeArguments } from "./api-proxy-endpoint-arguments.ts";
import { endpointChangeArguments, newEndpointArguments } from "./chat-endpoint-arguments.ts";

/** A shape of arguments, and which projects' endpoints have it. */
interface Kind {
  readonly projects: string;
  readonly shape: ArgumentShape;
}

const aiProjects = "ai_gateway and ai_wrapper";
const apiProjects = "api_gateway";

/** What `svc_create_endpoint` takes, for whichever kind of endpoint. Owners read their own. */
export const anyNewEndpointArguments = joinKinds([
  { projects: aiProjects, shape: newEndpointArguments },
  { projects: apiProjects, shape: newProxyEndpointArguments },
]);

/** The same for `svc_update_endpoint`. */
export const anyEndpointChangeArguments = joinKinds([
  { projects: aiProjects, shape: endpointChangeArguments },
  { projects: apiProjects, shape: proxyEndpointChangeArguments },
]);

/**
 * One shape for clients to see. Required is what every kind requires; the descriptions say the rest, since several model
 * providers refuse a tool whose schema begins with alternatives.
 */
function joinKinds(kinds: readonly Kind[]): ArgumentShape {
  const names = [...new Set(kinds.flatMap(({ shape }) => Object.keys(shape)))];
  return Object.fromEntries(names.map((name) => [name, joinArgument(name, kinds)]));
}

function joinArgument(name: string, kinds: readonly Kind[]): Argument<unknown> {
  const having = kinds.flatMap(({ projects, shape }) => {
    const found = shape[name];
    return found === undefined ? [] : [{ projects, found }];
  });
  const [first] = having;
  if (first === undefined) throw new RangeError(`No kind of endpoint has the argument ${name}.`);
  const required = having.length === kinds.length && having.every(({ found }) => found.required);
  const isCommon = having.length === kinds.length && having.every(({ found }) => found.schema === first.found.schema);
  const described = having.map(({ projects, found }) => {
    const must = found.required && !required ? ", required" : "";
    const { description } = found.schema;
    return `In ${projects} projects${must}: ${typeof description === "string" ? description : ""}`.trim();
  });
  const schema: JsonObject = isCommon
    ? first.found.schema
    : { ...withoutRange(first.found.schema, having.length > 1), description: described.join(" ") };
  return { schema, required, read: (value) => value };
}

/** Bounds that the kinds do not share are the owner's to check. */
function withoutRange(schema: JsonObject, isShared: boolean): JsonObject {
  if (!isShared) return schema;
  const { maximum: _maximum, maxLength: _maxLength, ...rest } = schema;
  return rest;
}
