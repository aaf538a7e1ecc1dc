import { expect, test } from "vitest";
import { mergeParameters } from "./model-parameters.ts";

test.each([
  [null, undefined, {}],
  [{ temperature: 1 }, undefined, { temperature: 1 }],
  [null, { temperature: 0 }, { temperature: 0 }],
  [{ temperature: 1, seed: 1 }, { temperature: 0 }, { temperature: 0, seed: 1 }],
  [{ temperature: 1 }, { temperature: null }, { temperature: null }],
  [{ max_tokens: 10, seed: 1 }, { max_completion_tokens: 5 }, { seed: 1, max_completion_tokens: 5 }],
  [{ max_completion_tokens: 10 }, { max_tokens: 5 }, { max_tokens: 5 }],
])("defaults of the endpoint %j and parameters of the caller %j give %j", (defaults, own, expected) => {
  expect(mergeParameters(defaults, own)).toEqual(expected);
});

test("a field with the name of a prototype member is an ordinary field", () => {
  const own = JSON.parse('{"__proto__":{"a":1}}') as Record<string, unknown>;
  expect(Object.entries(mergeParameters({ b: 1 }, own))).toEqual([
    ["b", 1],
    ["__proto__", { a: 1 }],
  ]);
});
