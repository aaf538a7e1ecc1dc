import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import type { OwnedOperation } from "../clients/federation.ts";

type Described = Pick<OwnedOperation, "inputSchema" | "projectTypes">;

/**
 * Merges the schemas of an operation that several owners have for different project types. Admits what any of them admits; the
 * project decides which applies, as descriptions state. Not `oneOf`: several model providers refuse a tool whose schema starts
 * with alternatives.
 */
export function mergeSchemas(owned: readonly Described[]): JsonObject {
  const names = [...new Set(owned.flatMap(({ inputSchema }) => Object.keys(propertiesOf(inputSchema))))];
  const required = names.filter((name) => owned.every(({ inputSchema }) => isRequired(inputSchema, name)));
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, mergeProperty(name, owned, required.includes(name))])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function mergeProperty(name: string, owned: readonly Described[], isRequiredByAll: boolean): JsonObject {
  const having = owned.flatMap(({ inputSchema, projectTypes }) => {
    const schema = propertiesOf(inputSchema)[name];
    return isJsonObject(schema) ? [{ schema, projectTypes, isRequired: isRequired(inputSchema, name) }] : [];
  });
  const [first, ...others] = having;
  if (first === undefined) throw new RangeError(`No owner has the argument ${name}.`);
  if (having.length === owned.length && others.every(({ schema }) => isDeepStrictEqual(schema, first.schema))) {
    return first.schema;
  }
  const bounds = boundsOf(first.schema);
  const isBoundAlike = others.every(({ schema }) => isDeepStrictEqual(boundsOf(schema), bounds));
  const described = having.map(({ schema: { description }, projectTypes, isRequired: isNeeded }) => {
    const must = isNeeded && !isRequiredByAll ? ", required" : "";
    return `In ${joinNames(projectTypes)} projects${must}: ${typeof description === "string" ? description : ""}`.trim();
  });
  return { ...(isBoundAlike ? bounds : mergeTypes(having)), description: described.join(" ") };
}

function boundsOf({ description: _description, ...bounds }: JsonObject): JsonObject {
  return bounds;
}

/** Bounds that differ are left to the owners. */
function mergeTypes(having: readonly { readonly schema: JsonObject }[]): JsonObject {
  const types = [...new Set(having.flatMap(({ schema: { type } }) => [type].flat()))];
  return { type: types.length === 1 ? types[0] : types };
}

function joinNames(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}

function isRequired({ required }: JsonObject, name: string): boolean {
  return Array.isArray(required) && required.includes(name);
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}
