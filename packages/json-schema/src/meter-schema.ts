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
/** Keywords whose value is data; references must not lead there. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "required", "$vocabulary", "dependentRequired"]);

/** A schema in which each subschema counts its visits. */
export interface MeteredSchema {
  readonly schema: JsonObject;
  readonly subschemaCount: number;
  /** Reason for which the schema cannot be metered. */
  readonly problem: string | undefined;
}

/**
 * Copies a schema with the cost of each subschema. Like Ajv, treats every possible subschema as one, since values of unknown
 * keywords may be referred to.
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
  // Anchors lead to subschemas only; a pointer may lead anywhere.
  const stray = references.find((target) => target.startsWith("#/") && !isPaidFor(follow(schema, target)));
  if (stray !== undefined) problem ??= `must not refer to '${stray.slice(0, 200)}', which is not a schema`;
  return { schema, subschemaCount, problem };
}

function findProblem(schema: JsonObject, root: JsonObject): string | undefined {
  // Ajv would make the check asynchronous, and its promise would pass for valid.
  if (schema["$async"] !== undefined) return "must not have $async";
  const id = schema["$id"];
  if (schema !== root && typeof id === "string" && !id.startsWith("#")) return "must have $id at its root only";
  return undefined;
}

/**
 * Whether a keyword's value is data. Keywords unknown to older drafts may contain anything there; Ajv does not look for anchors
 * in lists of examples.
 */
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
  const { pattern } = schema;
  const dependents = Object.values(isJsonObject(schema["dependentRequired"]) ? schema["dependentRequired"] : {});
  const lookups = ["properties", "required", "dependentSchemas", "dependencies"].map((name) => sizeOf(schema[name]));
  return {
    step: 1 + [...lookups, ...dependents.map(sizeOf)].reduce((sum, size) => sum + size, 0) / lookupsPerUnit,
    char: ("format" in schema ? formatWeight : 0) + patternWeight(pattern),
    key: key + namePatterns.length,
    // Names are matched once for their schemas, and once to find those without.
    keyChar: 2 * namePatterns.reduce((sum, source) => sum + patternWeight(source), 0),
  };
}

/** Weight of a format's expressions, which read a text several times. */
const formatWeight = 0.25;

/** Number of a pattern's instructions, all of which may be active at once. An invalid pattern is refused at compilation. */
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

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
}
