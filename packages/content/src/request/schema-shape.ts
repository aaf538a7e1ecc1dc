import { isSmall, listOf, mapOf, oneOf, type Shape, smallNumber, texts } from "./shape.ts";

/** Bounds of common integer types, which generated schemas contain. */
const typeBounds: ReadonlySet<number> = new Set([
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 32 - 1,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  // 64 bits, as a JavaScript number rounds them.
  2 ** 63,
  -(2 ** 63),
  2 ** 64,
]);

const bound: Shape = { isConstant: (value) => isSmall(value) || typeBounds.has(value), mayRound: true };
const fields = new Map<string, Shape>();

/** A JSON schema (draft 2020-12 and earlier). Descriptions, names of properties and values are texts. */
export const schemaShape: Shape = { fields };

const schemas: Shape = { ...schemaShape, items: schemaShape };
const named = mapOf(schemaShape);
const table: Readonly<Record<string, Shape>> = {
  type: oneOf("string", "number", "integer", "boolean", "object", "array", "null"),
  format: oneOf(
    "date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri",
    "uri-reference", "iri", "uuid", "json-pointer", "regex", "int32", "int64", "uint32", "uint64", "float", "double",
    "byte", "binary", "password",
  ), // prettier-ignore
  $schema: oneOf(
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
  ),
  properties: named,
  patternProperties: named,
  $defs: named,
  definitions: named,
  dependentSchemas: named,
  items: schemas,
  prefixItems: listOf(schemaShape),
  anyOf: listOf(schemaShape),
  oneOf: listOf(schemaShape),
  allOf: listOf(schemaShape),
  minLength: smallNumber,
  maxLength: smallNumber,
  minItems: smallNumber,
  maxItems: smallNumber,
  minProperties: smallNumber,
  maxProperties: smallNumber,
  multipleOf: smallNumber,
};

for (const [name, shape] of Object.entries(table)) fields.set(name, shape);
for (const name of ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]) fields.set(name, bound);
for (const name of [
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "contains",
  "not",
  "if",
  "then",
  "else",
]) {
  fields.set(name, schemaShape);
}
for (const name of [
  "title", "description", "required", "enum", "const", "default", "examples", "example", "pattern", "$ref", "$id",
  "$comment", "$anchor", "nullable", "uniqueItems", "deprecated", "readOnly", "writeOnly",
]) fields.set(name, texts); // prettier-ignore
