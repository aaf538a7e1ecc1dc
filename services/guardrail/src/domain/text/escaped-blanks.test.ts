import { expect, test } from "vitest";
import { isEscapedBlank, readEscapedBlanks } from "./escaped-blanks.ts";
import { plainReading, readingText, toSourceSpan } from "./reading.ts";

test.each([
  ["of a string", String.raw`"a\nb\r\n\tc"`, '"a\nb\r\n\tc"'],
  ["of a string in a string", String.raw`"{\"a\":\"\\nb\"}"`, String.raw`"{\"a\":\"` + "\n" + String.raw`b\"}"`],
  ["at the end", String.raw`a\n`, "a\n"],
  ["in a path, whose letter is lost", String.raw`C:\new`, "C:\new"],
])("an escaped blank %s is read as a blank", (_, text, expected) => {
  expect(readingText(readEscapedBlanks(plainReading(text)))).toBe(expected);
});

test.each(["", "a b", String.raw`\\`, String.raw`C:\Programs\ana`, "a\\"])("%j has none", (text) => {
  const reading = plainReading(text);
  expect(readEscapedBlanks(reading)).toBe(reading);
});

test("a blank has the place of the escape, with all of its backslashes, in the text as sent", () => {
  const reading = readEscapedBlanks(plainReading(String.raw`a\\nb\tc`));
  expect(toSourceSpan(reading, 1, 2)).toEqual({ start: 1, end: 4 });
  const twice = readEscapedBlanks({
    ...reading,
    codes: Uint16Array.from("a\\nc", (char) => char.charCodeAt(0)),
    length: 4,
  });
  expect(readingText(twice)).toBe("a\nc");
  expect(toSourceSpan(twice, 1, 2)).toEqual({ start: 1, end: 5 });
});

test("a letter behind a backslash may be that of an escaped blank", () => {
  const codes = Uint16Array.from(String.raw`\n\s`, (char) => char.charCodeAt(0));
  expect([0, 1, 2, 3].map((index) => isEscapedBlank(codes, index))).toEqual([false, true, false, false]);
});
