import { runAtOnce } from "@gatehouse/pace";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { JsonRefusal } from "./json-refusal.ts";
import { readTextTokensInSteps, replaceTextTokensInSteps } from "./text-tokens.ts";

const tokensOf = (text: string) => runAtOnce(readTextTokensInSteps(Buffer.from(text), 1_000_000));

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsOf(member)]);
}

test("every string and name is found, unescaped", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const found = new Set(tokensOf(JSON.stringify(value)).map(({ text }) => text));
      for (const text of textsOf(value)) expect(found).toContain(text);
    }),
  );
});

test("numbers are found as they are parsed, and values behind equal keys too", () => {
  const text = '{"a":4111111111111111111, "a":"\\u0073ecret","b":[-1.50e3,true,null]}';
  expect(tokensOf(text).map((token) => token.text)).toEqual(["a", "4111111111111111111", "a", "secret", "b", "-1500"]);
});

test("values directly behind a name are named, items of lists are not", () => {
  const text = '{"a" : "b","c":[ "d",{"e":1 }],"f":{"g": null,"h":"i"}}';
  expect(
    tokensOf(text)
      .filter(({ isNamed }) => isNamed)
      .map((token) => token.text),
  ).toEqual(["b", "1", "i"]);
});

test("tokens are replaced where they stand, and nothing else is", () => {
  const text = ' {"a" : "x\\"y", "n":4111111111111111, "é":[1e400]}';
  const json = Buffer.from(text);
  const tokens = runAtOnce(readTextTokensInSteps(json, 100));
  const replaced = (texts: readonly string[]) => runAtOnce(replaceTextTokensInSteps(json, tokens, texts)).toString();
  expect(replaced([])).toBe(text);
  const texts = tokens.map((token) => (token.text === "4111111111111111" ? "[Credit card]" : token.text));
  expect(replaced(texts)).toBe(text.replace("4111111111111111", '"[Credit card]"'));
});

test.each([
  ['{"ann":1,"bob":2,"[X]":3}', { ann: "[X]", bob: "[X]" }, '{"[X] 2":1,"[X] 3":2,"[X]":3}'],
  [
    '{"ann":"ann","in":{"bob" : 1, "ann": 2}}',
    { ann: "[X]", bob: "[X]" },
    '{"[X]":"[X]","in":{"[X]" : 1, "[X] 2": 2}}',
  ],
  [
    '[{"ann":1},{"ann":1}]\n{"a":{"ann":[{"bob":1}],"bob":0}}',
    { ann: "[X]", bob: "[X]" },
    '[{"[X]":1},{"[X]":1}]\n{"a":{"[X]":[{"[X]":1}],"[X] 2":0}}',
  ],
  ['{"a":1,"a":2,"ann":"a"}', { ann: "b" }, '{"a":1,"a":2,"b":"a"}'],
  ['{"[X] 2":0,"ann":1,"bob":2}', { ann: "[X]", bob: "[X]" }, '{"[X] 2":0,"[X]":1,"[X] 3":2}'],
])(
  "a new name that its object has already gets a number: %s",
  (text, replacements: Record<string, string>, expected) => {
    const tokens = tokensOf(text);
    const texts = tokens.map((token) => replacements[token.text] ?? token.text);
    expect(runAtOnce(replaceTextTokensInSteps(Buffer.from(text), tokens, texts)).toString()).toBe(expected);
  },
);

test("thousands of names with one replacement take little time", () => {
  const text = JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`n${index}`, 0])));
  const tokens = tokensOf(text);
  const before = process.threadCpuUsage();
  const replaced = runAtOnce(
    replaceTextTokensInSteps(
      Buffer.from(text),
      tokens,
      tokens.map(() => "[X]"),
    ),
  ).toString();
  const { user, system } = process.threadCpuUsage(before);
  expect(replaced).toContain('"[X] 50000":');
  expect((user + system) / 1000).toBeLessThan(500);
});

test("more tokens than asked for are refused", () => {
  expect(() => runAtOnce(readTextTokensInSteps(Buffer.from(`[${"1,".repeat(20)}1]`), 10))).toThrow(JsonRefusal);
});
