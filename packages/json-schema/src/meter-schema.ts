import { isJsonObject, type JsonObject } from "@gatehouse/json";
import { workKeyword } from "./keywords.ts";
import type { Weights } from "./meter.ts";
import { compilePattern } from "./pattern.ts";

/** Keywords whose value is a map of subschemas by name. */
const maps: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);
/** Keywords whose value is data; no reference may lead there. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "required", "$vocabulary", "dependentRequired"]);

/** A schema in which each subschema counts its visits. */
export interface MeteredSchema {
  readonly schema: JsonObject;
  readonly subschemaCount: number;
  /** Reason for which the schema cannot be metered. */
  readonly problem: string | undefined;
}

/**
 * A copy of a schema in which each subschema names its cost. Whatever might be a subschema is taken for one, as Ajv does:
 * what stands under a keyword that is not known may be referred to.
 */
export function meterSchema(source: JsonObject): MeteredSchema {
  const references: string[] = [];
  let subschemaCount = 0;
  let problem: string | undefined;
  const meter = (schema: JsonObject): JsonObject => {
    subschemaCount += 1;
    problem ??= findProblem(schema, source);
    for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
      const target = schema[keyword];
      if (typeof target === "string") references.push(target);
    }
    const entries = Object.entries(schema).map(([keyword, value]) => [keyword, meterKeyword(keyword, value)] as const);
    return Object.fromEntries([...entries, [workKeyword, weigh(schema)]]);
  };
  const meterKeyword = (keyword: string, value: unknown): unknown => {
    if (isData(keyword, value)) return value;
    if (Array.isArray(value)) return value.map((item: unknown) => (isJsonObject(item) ? meter(item) : item));
    if (!isJsonObject(value)) return value;
    if (!maps.has(keyword)) return meter(value);
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, isJsonObject(item) ? meter(item) : item]),
    );
  };
  const schema = meter(source);
  // Names of anchors lead to subschemas only; a pointer leads anywhere.
  const stray = references.find((target) => target.startsWith("#/") && !isPaidFor(follow(schema, target)));
  if (stray !== undefined) problem ??= `must not refer to what is no schema: ${stray.slice(0, 200)}`;
  return { schema, subschemaCount, problem };
}

function findProblem(schema: JsonObject, root: JsonObject): string | undefined {
  // Ajv would make an asynchronous check of it, whose answer passes for valid.
  if (schema["$async"] !== undefined) return "must not have $async";
  const id = schema["$id"];
  if (schema !== root && typeof id === "string" && !id.startsWith("#")) return "must have $id at its root only";
  return undefined;
}

/** Names that older drafts do not know stand for anything there; in lists of examples Ajv looks for no anchors. */
function isData(keyword: string, value: unknown): boolean {
  if (keyword === "examples") return Array.isArray(value);
  if (!data.has(keyword)) return false;
  const isKnownByAll = keyword !== "$vocabulary" && keyword !== "dependentRequired";
  return isKnownByAll || !isJsonObject(value) || !Object.values(value).some(isJsonObject);
}

/** Target of a JSON pointer in a URI's fragment (RFC 6901, section 6). */
function follow(root: JsonObject, pointer: string): unknown {
  let value: unknown = root;
  for (const part of pointer.slice(2).split("/")) {
    if (typeof value !== "object" || value === null) return undefined;
    const name = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    value = Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
  }
  return value;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (err) {
    if (err instanceof URIError) return part;
    throw err;
  }
}

function isPaidFor(value: unknown): boolean {
  return typeof value === "boolean" || (isJsonObject(value) && Object.hasOwn(value, workKeyword));
}

function weigh(schema: JsonObject): Weights {
  const namePatterns = Object.keys(isJsonObject(schema["patternProperties"]) ? schema["patternProperties"] : {});
  const readsKeys = [
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
  ];
  const key = readsKeys.some((keyword) => keyword in schema) ? 1 : 0;
  const lengths = ["minLength", "maxLength"].filter((keyword) => keyword in schema).length;
  const { pattern } = schema;
  const dependents = Object.values(isJsonObject(schema["dependentRequired"]) ? schema["dependentRequired"] : {});
  const lookups = ["properties", "required", "dependentSchemas", "dependencies"].map((name) => sizeOf(schema[name]));
  return {
    step: 1 + [...lookups, ...dependents.map(sizeOf)].reduce((sum, size) => sum + size, 0) / lookupsPerUnit,
    char: lengths / charsPerUnit + ("format" in schema ? formatWeight : 0) + patternWeight(pattern),
    key: key + namePatterns.length,
    // Names are matched once for their own schemas and once to find those that have none.
    keyChar: 2 * namePatterns.reduce((sum, source) => sum + patternWeight(source), 0),
  };
}

/** Weight of a format's expressions, which read a text several times. */
const formatWeight = 0.25;

/** A program of a pattern may be in all of its instructions at once. What is no pattern is refused when it is compiled. */
function patternWeight(source: unknown): number {
  if (typeof source !== "string") return 0;
  try {
    return 1 + compilePattern(source).size / instructionsPerUnit;
  } catch {
    return 0;
  }
}

const instructionsPerUnit = 10;
const lookupsPerUnit = 4;
const charsPerUnit = 16;

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
}
