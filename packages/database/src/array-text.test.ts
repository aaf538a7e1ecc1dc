import { expect, test } from "vitest";
import { toArrayText } from "./array-text.ts";

test("texts are quoted, their quotes and backslashes escaped; numbers, booleans and null stand bare", () => {
  const values = ["a", 'b"c', String.raw`d\e`, "null", "", "{,}", 7, 9n, true, null];
  expect(toArrayText(values, (value) => value)).toBe(String.raw`{"a","b\"c","d\\e","null","","{,}",7,9,true,null}`);
  expect(toArrayText([], () => 1)).toBe("{}");
});
