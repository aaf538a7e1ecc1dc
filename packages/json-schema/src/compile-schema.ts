import { invalidArgument } from "@gatehouse/errors";
import { type JsonObject, JsonRefusal, parseJson } from "@gatehouse/json";
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { Ajv2020 } from "ajv/dist/2020.js";
import { addBoundedKeywords } from "./keywords.ts";
import { type MeteredSchema, meterSchema } from "./meter-schema.ts";
import { CheckStopped, Meter } from "./meter.ts";
import { compilePattern } from "./pattern.ts";
import { schemaBounds } from "./schema-bounds.ts";
import { sameForAll, toViolations, type Violation } from "./violation.ts";

/** Violations of a value, or that finding them was too much work. */
export type SchemaVerdict =
  /** Violations, each once, at most the first ones; empty for a valid value. */
  | { readonly kind: "checked"; readonly violations: readonly Violation[] }
  /** The permitted work was not enough. */
  | { readonly kind: "unfinished" };

/** A tenant's saved schema. */
export interface SavedSchema {
  readonly source: JsonObject;
  /** Field named in errors. */
  readonly field: string;
}

/** A compiled schema whose work is bounded for any content. */
export interface CompiledSchema extends SavedSchema {
  /** Whether it is compiled on this thread; if not, `check` always returns `unfinished`. */
  readonly isInline: boolean;
  /** @param workMax units of work, each 10 to 200 ns. */
  readonly check: (value: unknown, workMax: number) => SchemaVerdict;
}

const draft7 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;
const draft2020 = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;

const regExp = Object.assign((source: string) => compilePattern(source), { code: "compilePattern" });

const options: Options = {
  strict: false,
  validateFormats: true,
  // Ajv's logger would write parts of tenants' schemas to the console.
  logger: false,
  // Schemas are checked by `metaSchemas`, which are compiled once.
  validateSchema: false,
  meta: false,
  // Optimising takes time quadratic in a schema's size.
  code: { regExp, optimize: false },
};

const metaSchemas = {
  draft7: new Ajv({ strict: false, logger: false }),
  draft2020: new Ajv2020({ strict: false, logger: false }),
};

/**
 * Compiles a JSON schema of draft 2020-12 (the default) or 7.
 * @throws GatewayError `invalid_argument` that names `field`, for one that is invalid, too large, too deep or of too many parts,
 * refers to other documents, recurses without end, or has a pattern that cannot be matched in linear time.
 */
export function compileSchema(source: JsonObject, field: string): CompiledSchema {
  const { schema, subschemaCount } = meter(source, field);
  const isInline = subschemaCount <= schemaBounds.inlineSubschemasMax;
  return { source, field, isInline, check: isInline ? createCheck(schema, field) : () => ({ kind: "unfinished" }) };
}

/** Compiles a schema of any size, which may take a second. @throws GatewayError as {@link compileSchema}. */
export function compileWholeSchema(source: JsonObject, field: string): CompiledSchema {
  return { source, field, isInline: true, check: createCheck(meter(source, field).schema, field) };
}

function meter(source: JsonObject, field: string): MeteredSchema {
  checkSize(source, field);
  checkReferences(source, field);
  const metered = meterSchema(source);
  const { subschemasMax } = schemaBounds;
  if (metered.problem !== undefined) throw invalidArgument(`${field} ${metered.problem}`);
  if (metered.subschemaCount > subschemasMax)
    throw invalidArgument(`${field} must have at most ${subschemasMax} subschemas`);
  const metaSchema = metaSchemas[dialectOf(source, field)];
  if (metaSchema.validateSchema(source) !== true) {
    throw invalidArgument(`${field} is not a usable JSON schema: schema is invalid: ${metaSchema.errorsText()}`);
  }
  return metered;
}

/** Values that are cheap to check. */
const probes: readonly unknown[] = [null, true, 0, "", "a", [], [0], {}, { a: 0 }];

function createCheck(schema: JsonObject, field: string): CompiledSchema["check"] {
  const meter = new Meter();
  const isValid = compile(schema, field, meter);
  const isEndless = (value: unknown) => isUnfinished(() => isValid(value), meter, schemaBounds.probeWorkMax);
  if (probes.some(isEndless)) {
    const bound = `the check of a small value takes more than ${schemaBounds.probeWorkMax} steps`;
    throw invalidArgument(`${field} repeats itself too often: ${bound}; remove nested references to the same schemas`);
  }
  let findErrors: ValidateFunction | undefined;
  return (value, workMax) => {
    let violations: readonly Violation[] = [];
    const check = () => {
      if (isValid(value)) return;
      const first = isValid.errors ?? [];
      // Most values are valid, so the validator that lists all errors is compiled for the first invalid one.
      findErrors ??= compile(schema, field, meter, schemaBounds.errorsMax);
      meter.left = workMax;
      violations = listViolations(findErrors, value, first, schema);
    };
    return isUnfinished(check, meter, workMax) ? { kind: "unfinished" } : { kind: "checked", violations };
  };
}

function isUnfinished(check: () => void, meter: Meter, workMax: number): boolean {
  try {
    meter.left = workMax;
    check();
    return false;
  } catch (err) {
    // A schema that recurses without consuming input overflows the stack.
    if (err instanceof CheckStopped || err instanceof RangeError) return true;
    throw err;
  }
}

/** Errors of an invalid value: all, or those found before the check was stopped. */
function listViolations(
  findErrors: ValidateFunction,
  value: unknown,
  first: readonly ErrorObject[],
  schema: JsonObject,
): readonly Violation[] {
  try {
    findErrors(value);
    const all = findErrors.errors ?? [];
    return toViolations(all.length === 0 ? first : all, schema, true);
  } catch (err) {
    if (err instanceof CheckStopped) return toViolations(err.errors ?? first, schema, false);
    throw err;
  }
}

function checkSize(schema: JsonObject, field: string): void {
  const { jsonLengthMax, depthMax } = schemaBounds;
  if (JSON.stringify(schema).length > jsonLengthMax)
    throw invalidArgument(`${field} must have at most ${jsonLengthMax} characters as JSON`);
  if (depthOf(schema) > depthMax) throw invalidArgument(`${field} must be nested at most ${depthMax} levels deep`);
}

function depthOf(value: unknown, depth = 1): number {
  if (typeof value !== "object" || value === null || depth > schemaBounds.depthMax) return depth;
  return Object.values(value).reduce((deepest: number, child) => Math.max(deepest, depthOf(child, depth + 1)), depth);
}

/** Nothing is fetched, so references must stay within the document. */
function checkReferences(value: unknown, field: string): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    const isReference = key === "$ref" || key === "$dynamicRef" || key === "$recursiveRef";
    if (isReference && typeof child === "string" && !child.startsWith("#")) {
      throw invalidArgument(`${field} must not refer to other documents: ${key} must start with '#'`);
    }
    checkReferences(child, field);
  }
}

function compile(
  schema: JsonObject,
  field: string,
  meter: Meter,
  /** Number of errors to collect; one when absent. */
  errorsMax?: number,
): ValidateFunction {
  try {
    const all = { ...options, allErrors: errorsMax !== undefined };
    const ajv = dialectOf(schema, field) === "draft7" ? new Ajv(all) : new Ajv2020(all);
    formats.default(ajv);
    addBoundedKeywords(ajv, meter, errorsMax);
    return ajv.compile(schema);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "unknown reason";
    throw invalidArgument(`${field} is not a usable JSON schema: ${reason}`, { cause });
  }
}

function dialectOf({ $schema: dialect }: JsonObject, field: string): keyof typeof metaSchemas {
  if (dialect === undefined || (typeof dialect === "string" && draft2020.test(dialect))) return "draft2020";
  if (typeof dialect === "string" && draft7.test(dialect)) return "draft7";
  throw invalidArgument(`${field}.$schema must be draft 2020-12 or draft 7`);
}

/** Value of a parsed text, or the reason why it is not checked. */
export type ParsedText =
  | { readonly kind: "parsed"; readonly value: unknown }
  | { readonly kind: "not_json" }
  | (SchemaVerdict & { readonly kind: "checked" });

/**
 * Parses a model's text within the bounds of request bodies: objects of many keys and deep nesting cost a multiple of their
 * length, and no tenant's schema needs them. Exceeding them is a violation, and so are equal keys: the text is sent as it is, and
 * another parser may read the one that was not checked.
 */
export function parseText(text: string): ParsedText {
  try {
    return { kind: "parsed", value: parseJson(text, { keys: "distinct" }) };
  } catch (err) {
    if (!(err instanceof JsonRefusal)) throw err;
    if (err.kind === "malformed") return { kind: "not_json" };
    return { kind: "checked", violations: [sameForAll(`/ ${err.clause}`)] };
  }
}
