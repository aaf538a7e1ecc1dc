import { isGatewayError } from "@gatehouse/errors";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import { type OwnedOperation, parseObject } from "../clients/federation.ts";
import type { Project } from "../domain/project.ts";
import type { Operation, OperationContext } from "./operation.ts";

/**
 * An operation that other services own, as one of the Control Plane: one, or one for each kind of project under the same name. The
 * project that the arguments name is looked up here, where projects live, and goes along in the call's origin; everything else is the
 * owner's to check.
 */
export function toOperation(owned: readonly [OwnedOperation, ...OwnedOperation[]]): Operation {
  const [{ name, description }] = owned;
  return {
    name,
    description,
    inputSchema: owned.length === 1 ? owned[0].inputSchema : mergeSchemas(owned.map((each) => each.inputSchema)),
    async call(given, context) {
      const { project: uuid } = given;
      const project = typeof uuid === "string" ? await context.projects.get(uuid) : undefined;
      const candidates = owned.filter((each) => isFor(each, project));
      return await callFirst(candidates.length === 0 ? owned : candidates, given, { context, project });
    },
  };
}

interface Calling {
  readonly context: OperationContext;
  readonly project: Project | undefined;
}

/** Of several owners the one that knows the resource: the others say that it is not found. */
async function callFirst(owned: readonly OwnedOperation[], given: JsonObject, calling: Calling): Promise<JsonObject> {
  const [first, ...others] = owned;
  if (first === undefined) throw new Error("An operation has no owner.");
  try {
    return await callOwner(first, given, calling);
  } catch (err) {
    if (others.length === 0 || !isGatewayError(err) || err.code !== "not_found") throw err;
    return await callFirst(others, given, calling);
  }
}

async function callOwner(owned: OwnedOperation, given: JsonObject, { context, project }: Calling): Promise<JsonObject> {
  const { owner, name, timeoutMs } = owned;
  const options = {
    ...context.caller.optionsFor(project ?? null),
    ...(timeoutMs === 0 ? {} : { deadline: timeoutMs }),
  };
  const { resultJson } = await owner.client.callOperation({ name, argumentsJson: JSON.stringify(given) }, options);
  return parseObject(resultJson);
}

function isFor({ projectTypes }: OwnedOperation, project: Project | undefined): boolean {
  return project === undefined || projectTypes.length === 0 || projectTypes.includes(project.projectType);
}

/** Admits what any of the schemas admits: which one counts shows with the project. */
function mergeSchemas(schemas: readonly JsonObject[]): JsonObject {
  const properties = Object.assign({}, ...schemas.map((schema) => schema["properties"])) as JsonObject;
  const required = Object.keys(properties).filter((name) =>
    schemas.every((schema) => Array.isArray(schema["required"]) && schema["required"].includes(name)),
  );
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }), additionalProperties: false };
}

/** Groups operations by name, in the order of their first owners. */
export function groupByName(owned: readonly OwnedOperation[]): readonly Operation[] {
  const groups = new Map<string, [OwnedOperation, ...OwnedOperation[]]>();
  for (const each of owned) {
    const group = groups.get(each.name);
    if (group === undefined) groups.set(each.name, [each]);
    else group.push(each);
  }
  return [...groups.values()].map(toOperation);
}

/** The names of a schema's properties. */
export function argumentNames({ inputSchema }: Operation): readonly string[] {
  const { properties } = inputSchema;
  return isJsonObject(properties) ? Object.keys(properties) : [];
}
