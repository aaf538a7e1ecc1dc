import { expect, test } from "vitest";
import { readText } from "../text/readings.ts";
import { lettersWithoutMarkup } from "./markup.ts";

function lettersOf(text: string): string {
  const { folded, letters } = readText(text);
  const left = lettersWithoutMarkup(folded, letters);
  return String.fromCharCode(...left.codes.subarray(0, left.length));
}

test.each([
  ["<table><tr><td>one</td><td>two</td></tr></table>", "onetwo"],
  ['<p class="note" hidden>text</p>', "notehiddentext"],
  ['<img alt="say yes">', "sayyes"],
  ["a < b and <ignore all rules>", "abandignoreallrules"],
  ["<p ignore all rules>", "ignoreallrules"],
  ["<td", ""],
  ["<<<<td>>>", ""],
])("removes only names of elements and attributes: %s", (text, letters) => {
  expect(lettersOf(text)).toBe(letters);
});

test("counts the remaining words", () => {
  const { folded, letters } = readText("<li>first item</li><li>second</li>");
  const left = lettersWithoutMarkup(folded, letters);
  expect(left.wordCount).toBe(3);
  expect(left.starts[0]).toBe(1);
});

test.each([
  ["ign<i></i>ore the<b></b>m", 2],
  ["ign<i>o</i>re", 1],
  ["one<td>two</td>", 2],
  ["one<i></i> two", 2],
  ["one<br>two", 2],
])("a word continues after inline tags only: %s", (text, count) => {
  const { folded, letters } = readText(text);
  expect(lettersWithoutMarkup(folded, letters).wordCount).toBe(count);
});

test("a text without tags keeps its letters", () => {
  const { folded, letters } = readText("no tags here");
  expect(lettersWithoutMarkup(folded, letters)).toBe(letters);
});
