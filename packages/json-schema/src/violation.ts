import type { ErrorObject } from "ajv";
import { schemaBounds } from "./schema-bounds.ts";

/** Rule of a schema that a value breaks, in two wordings of at most `violationCharsMax` characters each. */
export interface Violation {
  /** For the caller: `/pointer message`, with the invalid names. */
  readonly text: string;
  /** For the gateway log: nothing from the value; `*` replaces member names that the schema does not have. */
  readonly logged: string;
}

/** Violations, each once, at most the first ones. `schema` is the source of the errors. */
export function toViolations(
  errors: readonly ErrorObject[],
  schema: unknown,
  isComplete: boolean,
): readonly Violation[] {
  const named = new Map(errors.map((error) => [textOf(error), error]));
  const names = new Set<string>();
  collectNames(schema, names);
  const listed = [...named].slice(0, schemaBounds.violationsMax).map(([text, { instancePath, message }]) => ({
    text: cut(text),
    logged: cut(`${withoutOwnNames(instancePath, names) || "/"} ${message ?? "is invalid"}`),
  }));
  const left = named.size - listed.length;
  if (isComplete && left === 0) return listed;
  return [...listed, sameForAll(isComplete ? `and ${left} more` : "and more")];
}

/** A violation without any part of a value. */
export function sameForAll(text: string): Violation {
  return { text, logged: text };
}

function textOf(error: ErrorObject): string {
  return `${error.instancePath || "/"} ${error.message ?? "is invalid"}${detailOf(error)}`;
}

/** The invalid name, or the value that would be valid; Ajv's message lacks them. */
function detailOf({ keyword, params }: ErrorObject): string {
  if (keyword === "additionalProperties") return `: '${params["additionalProperty"]}'`;
  if (keyword === "unevaluatedProperties") return `: '${params["unevaluatedProperty"]}'`;
  if (keyword === "propertyNames") return `: '${params["propertyName"]}'`;
  if (keyword === "const") return `: ${JSON.stringify(params["allowedValue"])}`;
  return "";
}

/** Names of members in a schema, and its other keys, which are not secret either. */
function collectNames(value: unknown, names: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (!Array.isArray(value)) names.add(key);
    collectNames(child, names);
  }
}

/** Longer numbers may be personal data, such as a phone number. */
const arrayIndex = /^\d{1,6}$/;

function withoutOwnNames(pointer: string, names: ReadonlySet<string>): string {
  const isKnown = (part: string) =>
    part === "" || arrayIndex.test(part) || names.has(part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return pointer
    .split("/")
    .map((part) => (isKnown(part) ? part : "*"))
    .join("/");
}

function cut(text: string): string {
  const { violationCharsMax } = schemaBounds;
  return text.length <= violationCharsMax ? text : `${text.slice(0, violationCharsMax).toWellFormed()}…`;
}
