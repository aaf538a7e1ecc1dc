import { Type } from "typebox";
import { expect, test } from "vitest";
import { findDisagreement } from "./find-disagreement.ts";
import {
  array,
  atLeastOneOf,
  dollars,
  exactlyOneOf,
  integer,
  jsonObject,
  nullable,
  object,
  optional,
  string,
} from "./index.ts";
import { toPublished } from "./operation.ts";

const input = object({
  name: string({ description: "A name.", lengthMax: 5 }),
  rate: optional(nullable(integer({ description: "A rate.", min: 1, max: 9 }))),
  tags: optional(array(string({ description: "A tag.", lengthMax: 3 }), { description: "Tags.", min: 1, max: 2 })),
  budget: optional(dollars("A budget.")),
  settings: optional(jsonObject("Settings.", 40)),
});
const inputSchema = toPublished(input);
const { properties } = inputSchema as { readonly properties: Readonly<Record<string, object>> };

test("a published schema that equals the enforced one has no disagreement", () => {
  expect(findDisagreement({ input, inputSchema })).toBeUndefined();
});

test.each([
  ["a longer text", { ...properties, name: { type: "string", maxLength: 6, minLength: 1 } }],
  ["a wider range", { ...properties, rate: { type: ["integer", "null"], minimum: 0, maximum: 9 } }],
  ["another type", { ...properties, budget: { type: "string" } }],
  ["one item more", { ...properties, tags: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3 } }],
  ["an argument more", { ...properties, extra: { type: "integer" } }],
])("%s in the published schema is found", (_, drifted) => {
  expect(findDisagreement({ input, inputSchema: { ...inputSchema, properties: drifted } })).toBeDefined();
});

test("an argument that only the enforced schema requires is found", () => {
  const published = toPublished(Type.Object(input.properties, { additionalProperties: false, required: [] }));
  expect(findDisagreement({ input, inputSchema: { ...published, required: [] } })).toBeDefined();
});

test.each([
  ["a shorter text", { name: string({ description: "A name.", lengthMax: 2 }) }],
  ["a narrower range", { rate: optional(nullable(integer({ description: "A rate.", min: 1, max: 4 }))) }],
  [
    "a shorter list",
    {
      tags: optional(array(string({ description: "A tag.", lengthMax: 3 }), { description: "Tags.", min: 1, max: 1 })),
    },
  ],
  [
    "a shorter item",
    {
      tags: optional(array(string({ description: "A tag.", lengthMax: 2 }), { description: "Tags.", min: 1, max: 2 })),
    },
  ],
])("%s where it is enforced is found", (_, tightened) => {
  const enforced = object({ ...input.properties, ...tightened });
  expect(findDisagreement({ input: enforced, inputSchema })).toBeDefined();
});

test("a member without a known valid value is named", () => {
  const unknown = object({ code: optional(Type.String({ pattern: "^[0-9]{3}-[A-Z]{7}$" })) });
  expect(() => findDisagreement({ input: unknown, inputSchema: toPublished(unknown) })).toThrow(/code/);
});

const choice = object({
  one: optional(string({ description: "One or other, not both.", lengthMax: 5 })),
  other: optional(string({ description: "One or other, not both.", lengthMax: 5 })),
  third: optional(integer({ description: "A third or a fourth.", min: 1, max: 9 })),
  fourth: optional(integer({ description: "A third or a fourth.", min: 1, max: 9 })),
});
const enforcedChoice = atLeastOneOf(exactlyOneOf(choice, "one", "other"), "third", "fourth");

test("members that exclude each other are all tried, and rules across them count as part of the schema", () => {
  expect(findDisagreement({ input: enforcedChoice, inputSchema: toPublished(enforcedChoice) })).toBeUndefined();
});

test.each([
  ["one", { one: optional(string({ description: "One.", lengthMax: 6 })) }],
  ["other", { other: optional(string({ description: "Other.", lengthMax: 6 })) }],
  ["fourth", { fourth: optional(integer({ description: "A fourth.", min: 1, max: 10 })) }],
])("a wider %s in a published schema with exclusive members is found", (_, drifted) => {
  const inputSchema = toPublished(object({ ...choice.properties, ...drifted }));
  expect(findDisagreement({ input: enforcedChoice, inputSchema })).toBeDefined();
});
