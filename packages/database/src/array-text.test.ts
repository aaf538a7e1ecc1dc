import { expect, test } from "vitest";
import { toArrayText } from "./array-text.ts";

test("texts are quoted, their quotes and backslashes escaped; numbers, booleans and null stand bare", () => {
  const values = ["a", 'b"c', String.raw`d\e`, "null", "", "{,}", 7, 9n, true, null];
  expect(toArrayText(values, (value) => value)).toBe(String.raw`{"a","b\"c","d\\e","null","","{,}",7,9,true,null}`);
  expect(toArrayText([], () => 1)).toBe("{}");
});

test.each([
  ['"\n', '"\\"\n"'],
  ['\\\u0001"', '"\\\\\u0001\\""'],
  ['\u007f"\u2028', '"\u007f\\"\u2028"'],
  ['"\u{1f600}é', '"\\"\u{1f600}é"'],
  ['"\ud800', '"\\"\ud800"'],
  ['{"tool":"a\\\\nb"}', String.raw`"{\"tool\":\"a\\\\nb\"}"`],
])("only quotes and backslashes are escaped in %j", (text, quoted) => {
  expect(toArrayText([text], (value) => value)).toBe(`{${quoted}}`);
});
