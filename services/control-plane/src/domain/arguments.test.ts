import { expect, test } from "vitest";
import {
  flag,
  integer,
  list,
  nullable,
  optional,
  readArguments,
  record,
  refuseUnknownArguments,
  text,
  toObjectSchema,
  withDefault,
} from "./arguments.ts";

const shape = {
  name: text({ description: "Its name.", lengthMax: 5 }),
  count: withDefault(integer({ description: "How many.", min: 1, max: 9 }), 3),
  note: nullable(text({ description: "A note; null takes it away.", lengthMax: 5, multiline: true })),
  on: optional(flag("Whether it is on.")),
  parts: optional(
    list(record({ id: integer({ description: "", min: 0, max: 9 }) }), { description: "", min: 0, max: 2 }),
  ),
};

test("arguments are read with their defaults", () => {
  const values = readArguments(shape, { name: "a", parts: [{ id: 1 }] });
  expect(values).toEqual({ name: "a", count: 3, note: undefined, on: undefined, parts: [{ id: 1 }] });
});

test("unknown arguments are refused with the nearest name, at every depth", () => {
  expect(() => refuseUnknownArguments(shape, { nam: "a" })).toThrow("Unknown argument: nam. Did you mean 'name'?");
  expect(() => refuseUnknownArguments(shape, { zzz: 1 })).toThrow(/^Unknown argument: zzz$/);
  expect(() => readArguments(shape, { name: "a", parts: [{ id: 1, other: 2 }] })).toThrow(
    "Unknown argument: parts[0].other",
  );
});

test("null is absent, except where it has a meaning", () => {
  const values = readArguments(shape, { name: "a", count: null, note: null, on: null, parts: null });
  expect(values).toEqual({ name: "a", count: 3, note: null, on: undefined, parts: undefined });
});

test.each([
  [{ count: "x" }, "Missing required argument: name"],
  [{ name: null, count: "x" }, "Missing required argument: name"],
  [{ on: 1, count: "x", name: "a" }, "count must be integer"],
  [{ name: "a", note: "\0" }, "note must not have control characters"],
  [{ name: "a\n" }, "name must not have control characters"],
  [{ name: "abcdef" }, "name must have at most 5 characters"],
  [{ name: "a", parts: [{ id: 1 }, {}] }, "Missing required argument: parts[1].id"],
  [{ name: "a", parts: [{ id: 10 }] }, "parts[0].id must be from 0 to 9"],
  [{ name: "a", parts: [{}, {}, {}] }, "parts must have from 0 to 2 items"],
  [JSON.parse('{"__proto__":{"name":"a"}}') as object, "Missing required argument: name"],
])("the first problem of %j is: %s", (given, message) => {
  expect(() => readArguments(shape, given as Record<string, unknown>)).toThrow(message);
});

test("a multi-line text keeps its lines", () => {
  expect(readArguments(shape, { name: "a", note: "a\n\tb" }).note).toBe("a\n\tb");
});

test("the schema says what the readers enforce", () => {
  expect(toObjectSchema(shape)).toEqual({
    type: "object",
    properties: {
      name: { type: "string", description: "Its name.", minLength: 1, maxLength: 5 },
      count: { type: "integer", description: "How many.", minimum: 1, maximum: 9, default: 3 },
      note: { type: ["string", "null"], description: "A note; null takes it away.", minLength: 1, maxLength: 5 },
      on: { type: "boolean", description: "Whether it is on." },
      parts: {
        type: "array",
        description: "",
        minItems: 0,
        maxItems: 2,
        items: {
          type: "object",
          properties: { id: { type: "integer", description: "", minimum: 0, maximum: 9 } },
          required: ["id"],
          additionalProperties: false,
        },
      },
    },
    required: ["name"],
    additionalProperties: false,
  });
});
