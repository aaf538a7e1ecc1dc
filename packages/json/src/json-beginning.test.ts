import { expect, test } from "vitest";
import { beginsAsJson, mayBeContainer, mayBeJson } from "./json-beginning.ts";
import { notJson, readJsonPiece } from "./read-json-piece.ts";

test.each([
  ['{"a":1}', true],
  ["[]", true],
  [" \n\t[1", true],
  ["\ufeff{", true],
  ["[EMAIL 1] wrote", true],
  ['"text"', false],
  ["12", false],
  ["see {a}", false],
  ["", false],
])("%j may be an object or an array: %j", (text, expected) => {
  expect(mayBeContainer(text)).toBe(expected);
});

test.each([
  ['{"a":1}', true],
  [' ["a"]\n', true],
  ['"text"', true],
  ["\ufeff{}", true],
  ["{a", false],
  ["12", false],
])("%j may be an object, a list or a string: %j", (text, expected) => {
  expect(mayBeJson(text)).toBe(expected);
});

const blanks = ["", " ", "\n\t", "\ufeff", "\ufeff "];

test.each(["{", '{"', '["', '[ "', "[{", "[\n{"])("%j begins as JSON and is read as it", (text) => {
  for (const blank of blanks) {
    expect(beginsAsJson(blank + text)).toBe(true);
    expect(readJsonPiece(blank + text, "")).not.toBe(notJson);
  }
});

test.each(["1", '"a"', "x {", "[1", "[[", "[x", "[-", "\u00a0{", "[\ufeff{"])("%j is prose", (text) => {
  for (const blank of blanks) {
    expect(beginsAsJson(blank + text)).toBe(false);
    expect(readJsonPiece(blank + text, "")).toBe(notJson);
  }
});
