import { GatewayError } from "@gatehouse/errors";
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { JsonObject } from "../endpoint.ts";
import { compilePattern } from "./pattern.ts";

export const schemaBounds = {
  jsonLengthMax: 64 * 1024,
  depthMax: 32,
  /** Violations named in one message. */
  violationsMax: 20,
} as const;

/** Answers with what is wrong with a value, `/pointer message`, each violation once; empty for a valid one. */
export type SchemaValidator = (value: unknown) => readonly string[];

const draft7 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;
const draft2020 = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

const regExp = Object.assign((source: string) => compilePattern(source), { code: "compilePattern" });

const options: Options = {
  allErrors: true,
  strict: false,
  validateFormats: true,
  // A schema's own `$id` must not meet that of another endpoint.
  addUsedSchema: false,
  code: { regExp },
};

/**
 * Compiles a JSON schema of draft 2020-12 (the default) or 7.
 * @throws GatewayError `invalid_argument`, naming `field`, for one that is invalid, too large or too deep, refers to other
 * documents, or has a pattern that cannot be matched in linear time.
 */
export function compileSchema(schema: JsonObject, field: string): SchemaValidator {
  checkSize(schema, field);
  checkReferences(schema, field);
  const validate = compile(schema, field);
  return (value) => (validate(value) ? [] : violations(validate.errors ?? []));
}

function checkSize(schema: JsonObject, field: string): void {
  const { jsonLengthMax, depthMax } = schemaBounds;
  if (JSON.stringify(schema).length > jsonLengthMax)
    refuse(`${field} must have at most ${jsonLengthMax} characters as JSON`);
  if (depthOf(schema) > depthMax) refuse(`${field} must be nested at most ${depthMax} levels deep`);
}

function depthOf(value: unknown, depth = 1): number {
  if (typeof value !== "object" || value === null || depth > schemaBounds.depthMax) return depth;
  return Math.max(depth, ...Object.values(value).map((child) => depthOf(child, depth + 1)));
}

/** Nothing is ever fetched: a reference must lead into the same document. */
function checkReferences(value: unknown, field: string): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    const isReference = key === "$ref" || key === "$dynamicRef" || key === "$recursiveRef";
    if (isReference && typeof child === "string" && !child.startsWith("#")) {
      refuse(`${field} must not refer to other documents: ${key} must start with '#'`);
    }
    checkReferences(child, field);
  }
}

function compile(schema: JsonObject, field: string): ValidateFunction {
  const dialect = schema["$schema"];
  const isDraft7 = typeof dialect === "string" && draft7.test(dialect);
  if (dialect !== undefined && !isDraft7 && !(typeof dialect === "string" && draft2020.test(dialect))) {
    refuse(`${field}.$schema must be draft 2020-12 or draft 7`);
  }
  try {
    const ajv = isDraft7 ? new Ajv(options) : new Ajv2020(options);
    formats.default(ajv);
    return ajv.compile(schema);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "unknown reason";
    throw new GatewayError("invalid_argument", `${field} is not a usable JSON schema: ${reason}`, { cause });
  }
}

function violations(errors: readonly ErrorObject[]): string[] {
  const { violationsMax } = schemaBounds;
  const named = [
    ...new Set(errors.map(({ instancePath, message }) => `${instancePath || "/"} ${message ?? "is invalid"}`)),
  ];
  return named.length <= violationsMax
    ? named
    : [...named.slice(0, violationsMax), `and ${named.length - violationsMax} more`];
}

function refuse(message: string): never {
  throw new GatewayError("invalid_argument", message);
}
