import fc from "fast-check";
import { expect, test } from "vitest";
import { findFlaw } from "./find-flaw.ts";
import { rounded } from "./number-text.ts";

test.each([
  ['{"a":1,"a":2}', { path: ["a"] }],
  ['{"a":1,"\\u0061":2}', { path: ["a"] }],
  ['[{"b":{}},{"b":{"c":[],"d":"x, {","c":0}}]', { path: ["1", "b", "c"] }],
  ['{"a":[1, 12345678901234567890 ]}', inexact(["a", "1"], "12345678901234567890", "12345678901234567000")],
  ['{"a":{"b" : 9007199254740993}}', inexact(["a", "b"], "9007199254740993", "9007199254740992")],
  ["[[],[0,1e400]]", inexact(["1", "1"], "1e400", "Infinity")],
  ["  -0 ", inexact([], "-0", "0")],
  ["1e-400", inexact([], "1e-400", "0")],
  ["0.1000000000000000055511151231257827", inexact([], "0.1000000000000000055511151231257827", "0.1")],
])("the first place that parsing would change is found: %s", (text, flaw) => {
  expect(findFlaw(text)).toEqual(flaw);
});

test.each([
  '{"a":{"a":1},"b":[{"a":1},{"a":2}],"A":1,"__proto__":1}',
  '{"a":"12345678901234567890","12345678901234567890":true}',
  '{"a":"\\"a\\":1","b":": 1e400"}',
  "[9007199254740991,9007199254740994,1e21,0.1,0.30000000000000004,-1.50,1E3,5e-324]",
  "null",
  '"x"',
])("a text that parsing does not change has no flaw: %s", (text) => {
  expect(findFlaw(text)).toBeUndefined();
});

test("the output of JSON.stringify has no flaw", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(findFlaw(text)).toBeUndefined();
      expect(findFlaw(JSON.stringify(value, null, 2))).toBeUndefined();
    }),
  );
});

test("a long text is read in linear time", () => {
  expect(rounded("9".repeat(100_000))).toBe("Infinity");
  expect(findFlaw(`[${'{"a":1},'.repeat(100_000)}{}]`)).toBeUndefined();
});

function inexact(path: readonly string[], from: string, to: string) {
  return { path, rounded: { from, to } };
}
