import { expect, test } from "vitest";
import { type JsonSchema, typeOfSchema } from "./type-of-schema.ts";

test.each<[JsonSchema, string]>([
  [{ type: "string" }, "string"],
  [{ type: ["integer", "null"] }, "number | null"],
  [{ type: "string", enum: ["a", "b"] }, '"a" | "b"'],
  [{ type: ["string", "null"], enum: ["a", null] }, '"a" | null'],
  [{ type: "array", items: { type: ["string", "null"] } }, "readonly (string | null)[]"],
  [{ type: "object" }, "Readonly<Record<string, unknown>>"],
  [{ type: "object", properties: {} }, "Readonly<Record<string, never>>"],
  [{ type: "object", additionalProperties: { type: "number" } }, "Readonly<Record<string, number>>"],
  [
    { type: "object", properties: { a: { type: "string" }, b: { type: "boolean" } }, required: ["a"] },
    '{ readonly "a": string; readonly "b"?: boolean; }',
  ],
  [{ oneOf: [{ const: "x" }, { type: "number" }] }, '"x" | number'],
  [{}, "unknown"],
])("%j is the type %s", (schema, type) => {
  expect(typeOfSchema(schema)).toBe(type);
});

test("a type that JSON Schema does not have is a mistake", () => {
  expect(() => typeOfSchema({ type: "text" })).toThrow("no type text");
});
