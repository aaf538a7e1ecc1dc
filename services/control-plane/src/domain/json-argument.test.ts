import * as fc from "fast-check";
import { expect, test } from "vitest";
import { jsonObject } from "./json-argument.ts";

const schema = jsonObject("A schema.");

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { a: nested(levels - 1) };
}

test.each([
  ['{"a":1e999}', "must not have numbers beyond 1.8e308"],
  ['{"a":[{"b":"\\u0000"}]}', "must not have NUL characters or unpaired surrogates"],
  ['{"\\udc00":1}', "must not have NUL characters or unpaired surrogates"],
  ['{"a":{"__proto__":{}}}', "must not have a member named __proto__"],
  [JSON.stringify(nested(65)), "must not be nested more than 64 levels deep"],
  [JSON.stringify({ a: "x".repeat(262_144) }), "must have at most 262144 characters as JSON text"],
  ["[]", "must be object"],
  ['"{}"', "must be object"],
])("what cannot be stored is refused: %.40s", (text, problem) => {
  expect(() => schema.read(JSON.parse(text), "input_schema")).toThrow(`input_schema ${problem}`);
});

test("what JSON can say and Postgres can store passes unchanged", () => {
  expect(schema.read(nested(64), "f")).toEqual(nested(64));
  const storable = fc.dictionary(
    fc.string({ unit: "grapheme" }).filter((key) => key !== "__proto__"),
    fc.jsonValue({ maxDepth: 4 }).filter((value) => JSON.stringify(value).isWellFormed()),
  );
  fc.assert(
    fc.property(storable, (value) => {
      const hasNul = /\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value));
      fc.pre(!hasNul && !JSON.stringify(value).includes("__proto__"));
      expect(schema.read(value, "f")).toEqual(value);
    }),
  );
});
