import { expect, test } from "vitest";
import { isTypedName, visibleName } from "./visible-name.ts";

test.each([
  ["Web shop", "Web shop"],
  ["\u200B", "[U+200B]"],
  ["\u2800\u3164", "[U+2800][U+3164]"],
  ["\u{1D159}", "[U+1D159]"],
  ["\u0001 ", "[U+0001][U+0020]"],
  ["abc\u202Egnp.exe", "abc[U+202E]gnp.exe"],
  ["می\u200Cخواهم", "می\u200Cخواهم"],
  ["👩\u200D💻", "👩\u200D💻"],
])("%j is shown as %j", (name, shown) => {
  expect(visibleName(name)).toBe(shown);
});

test.each([
  ["lead", "  lead  "],
  ["two words", "two  words\u00A0"],
  [" two  words", "two words"],
  ["[U+200B]", "\u200B"],
  ["abc[U+202E]gnp.exe", "abc\u202Egnp.exe"],
  ["abcgnp.exe", "abc\u202Egnp.exe"],
  ["caf\u00E9", "cafe\u0301"],
  ["shop", "sh\u00ADop\uFEFF"],
])("%j confirms %j", (typed, name) => {
  expect(isTypedName(typed, name)).toBe(true);
  expect(isTypedName(`${typed}x`, name)).toBe(false);
});

test.each([
  ["", "  lead  "],
  ["", "\u200B"],
  ["", "\u0001"],
  [" ", "\u200B \u200B"],
  ["Lead", "lead"],
  ["twowords", "two words"],
])("%j does not confirm %j", (typed, name) => {
  expect(isTypedName(typed, name)).toBe(false);
});
