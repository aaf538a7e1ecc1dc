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

test("tokens are replaced where they stand, and nothing else is", () => {
  const text = ' {"a" : "x\\"y", "n":4111111111111111, "é":[1e400]}';
  const json = Buffer.from(text);
  const tokens = runAtOnce(readTextTokensInSteps(json, 100));
  const replaced = (texts: readonly string[]) => runAtOnce(replaceTextTokensInSteps(json, tokens, texts)).toString();
  expect(replaced([])).toBe(text);
  const texts = tokens.map((token) => (token.text === "4111111111111111" ? "[Credit card]" : token.text));
  expect(replaced(texts)).toBe(text.replace("4111111111111111", '"[Credit card]"'));
});

test("more tokens than asked for are refused", () => {
  expect(() => runAtOnce(readTextTokensInSteps(Buffer.from(`[${"1,".repeat(20)}1]`), 10))).toThrow(JsonRefusal);
});
