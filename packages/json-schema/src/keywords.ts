import { codePointCount } from "@gatehouse/json";
import { _, type Ajv, type CodeKeywordDefinition, type FuncKeywordDefinition, Name } from "ajv";
import type { Meter, Weights } from "./meter.ts";
import { isMultipleOf } from "./multiple-of.ts";
import { schemaBounds } from "./schema-bounds.ts";

/** Keyword in every subschema of a metered schema; see `meterSchema`. */
export const workKeyword = "gatehouse:work";

/**
 * Bounds the time of every check: each evaluated subschema costs units, and keywords whose time is not linear in the value's size
 * are replaced, as is `multipleOf`, whose division in binary refuses prices. With `errorsMax` a check also ends when enough errors are found.
 */
export function addBoundedKeywords(ajv: Ajv, meter: Meter, errorsMax: number | undefined): void {
  ajv.addKeyword(workDefinition(meter, errorsMax));
  const replaced = [
    uniqueItemsDefinition(meter),
    enumDefinition(meter),
    multipleOfDefinition(meter),
    lengthDefinition("minLength", meter),
    lengthDefinition("maxLength", meter),
  ];
  for (const definition of replaced) {
    ajv.removeKeyword(String(definition.keyword));
    ajv.addKeyword(definition);
  }
}

/** Variables of every function that Ajv generates (ajv/lib/compile/names.ts). */
const errorCount = new Name("errors");
const errorList = new Name("vErrors");

function workDefinition(meter: Meter, errorsMax: number | undefined): CodeKeywordDefinition {
  return {
    keyword: workKeyword,
    schemaType: "object",
    code({ gen, data, schema, it }) {
      const meterName = gen.scopeValue("obj", { key: meter, ref: meter });
      const weights: Weights = schema;
      const weightsName = gen.scopeValue("obj", { key: weights, ref: weights });
      gen.code(_`${meterName}.spend(${data}, ${weightsName})`);
      if (errorsMax === undefined) return;
      // Errors inside an alternative (`anyOf`, `oneOf`) may be discarded later, and a definition may be used in one, so such
      // errors are not reported.
      const isOwn = it.compositeRule !== true && it.schemaEnv.root === it.schemaEnv;
      gen.if(_`${errorCount} > ${errorsMax}`, () => gen.code(_`${meterName}.stop(${isOwn ? errorList : null})`));
    },
  };
}

/** Replaces Ajv's, which compares all pairs of items that are not scalars. */
function uniqueItemsDefinition(meter: Meter): FuncKeywordDefinition {
  const validate: NonNullable<FuncKeywordDefinition["validate"]> = (isUnique: unknown, items: unknown[]) => {
    if (isUnique !== true) return true;
    const places = new Map<string, number>();
    for (const [place, item] of items.entries()) {
      const text = canonicalText(item, () => meter.take(unitsPerValue));
      meter.take(text.length / charsPerUnit);
      const first = places.get(text);
      if (first !== undefined) {
        const message = `must NOT have duplicate items (items ## ${first} and ${place} are identical)`;
        Object.assign(validate, { errors: [{ keyword: "uniqueItems", message, params: { i: first, j: place } }] });
        return false;
      }
      places.set(text, place);
    }
    return true;
  };
  return { keyword: "uniqueItems", type: "array", schemaType: "boolean", errors: true, validate };
}

/** Replaces Ajv's, which compares a value with each allowed one. */
function enumDefinition(meter: Meter): FuncKeywordDefinition {
  return {
    keyword: "enum",
    schemaType: "array",
    error: { message: ({ schema }) => `must be equal to one of the allowed values: ${listValues(schema)}` },
    compile(allowed: readonly unknown[]) {
      const scalars = new Set(allowed.filter((value) => !isNested(value)));
      const nested = new Set(allowed.filter(isNested).map((value) => canonicalText(value, () => {})));
      if (nested.size === 0) return (value: unknown) => scalars.has(value);
      return (value: unknown) =>
        isNested(value) ? nested.has(canonicalText(value, () => meter.take(unitsPerValue))) : scalars.has(value);
    },
  };
}

function multipleOfDefinition(meter: Meter): FuncKeywordDefinition {
  return {
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    error: {
      message: ({ schema }) => `must be multiple of ${String(schema)}`,
      params: ({ schema }) => _`{multipleOf: ${Number(schema)}}`,
    },
    compile: (divisor: number) => (value: number) => {
      meter.take(unitsPerDivision);
      return isMultipleOf(value, divisor);
    },
  };
}

/**
 * Replaces Ajv's, which counts the characters of every text: a text has at most as many as UTF-16 units and at least half as many, so
 * that they are counted only where the limit lies between.
 */
function lengthDefinition(keyword: "minLength" | "maxLength", meter: Meter): FuncKeywordDefinition {
  const isMin = keyword === "minLength";
  return {
    keyword,
    type: "string",
    schemaType: "number",
    error: {
      message: ({ schema }) => `must NOT have ${isMin ? "fewer" : "more"} than ${String(schema)} characters`,
      params: ({ schema }) => _`{limit: ${Number(schema)}}`,
    },
    compile: (limit: number) => (text: string) => {
      const [least, most] = [Math.ceil(text.length / 2), text.length];
      if (isMin ? most < limit : least > limit) return false;
      if (isMin ? least >= limit : most <= limit) return true;
      meter.take(text.length / charsPerUnit);
      const count = codePointCount(text);
      return isMin ? count >= limit : count <= limit;
    },
  };
}

/** Lists values; cut where long, since a message is cut at about that length. */
function listValues(allowed: readonly unknown[]): string {
  let text = "";
  for (const [place, value] of allowed.entries()) {
    if (text.length > schemaBounds.violationCharsMax) return `${text}, …`;
    text += `${place === 0 ? "" : ", "}${JSON.stringify(value)}`;
  }
  return text;
}

/** Characters of a text that one unit of work compares or copies. */
const charsPerUnit = 16;
const unitsPerValue = 4;
const unitsPerDivision = 8;

function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/**
 * A text that is equal exactly for values that JSON Schema considers equal: member names are sorted. `onValue` is called for each
 * nested value.
 */
function canonicalText(value: unknown, onValue: () => void): string {
  onValue();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalText(item, onValue)).join()}]`;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member, onValue)}`).join()}}`;
}
