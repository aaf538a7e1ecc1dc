import fc from "fast-check";
import { expect, test } from "vitest";
import { readText } from "../text/readings.ts";
import { compileKeywords, findKeywords } from "./keywords.ts";

function matches(keywords: readonly string[], text: string): string[] {
  return findKeywords(readText(text), compileKeywords(keywords)).map(({ keyword }) => keyword);
}

test.each([
  ["as it is", "falcon"],
  ["in capitals", "FALCON"],
  ["beside punctuation", "(falcon)!"],
  ["in full-width letters", "ｆａｌｃｏｎ"],
  ["with zero-width characters", "fal\u200bc\u200don"],
  ["with Cyrillic look-alikes", "f\u0430lc\u043en"],
  ["in mathematical letters", "𝐟𝐚𝐥𝐜𝐨𝐧"],
  ["in digit spelling", "f4lc0n"],
  ["spaced out", "f a l c o n"],
  ["with stacked accents", "f\u0335a\u0335l\u0335c\u0335o\u0335n\u0335"],
])("finds a word %s and shows it as it was configured", (_, written) => {
  expect(matches(["FalCon"], `we saw ${written} today`)).toEqual(["FalCon"]);
});

test.each(["falconry", "xfalcon", "falcons", "fal con", "falco n", "balcony"])("does not find falcon in %s", (word) => {
  expect(matches(["falcon"], `the ${word} was here`)).toEqual([]);
});

test("finds a phrase over any white space between its words", () => {
  expect(matches(["blue moon"], "a Blue\n   Moon rises")).toEqual(["blue moon"]);
  expect(matches(["blue moon"], "a bluemoonish thing")).toEqual([]);
});

test("a word that merely differs by its accent is another word", () => {
  expect(matches(["ano"], "este año fue bueno")).toEqual([]);
});

test("finds keywords in scripts that put no spaces between words", () => {
  expect(matches(["机密"], "这是机密文件")).toEqual(["机密"]);
});

test("empty and blank keywords, and an empty list, match nothing", () => {
  expect(matches([], "anything")).toEqual([]);
  expect(matches(["", "   ", "\u200b"], "anything at all")).toEqual([]);
});

test("of keywords that read the same the first is shown, once a place", () => {
  expect(matches(["Falcon", "FALCON", "falcon"], "a falcon")).toEqual(["Falcon"]);
});

test("of keywords that end together the longest is taken", () => {
  expect(matches(["moon", "blue moon"], "a blue moon")).toEqual(["blue moon"]);
});

test("offsets are those of the text as it was sent", () => {
  const text = "ﬁne: f\u200bａlcon, yes";
  const [match] = findKeywords(readText(text), compileKeywords(["falcon"]));
  expect(text.slice(match?.start, match?.end)).toBe("f\u200bａlcon");
});

test("any word of letters is found in a sentence, whatever its case", () => {
  const word = fc.stringMatching(/^[a-z]{5,12}$/);
  fc.assert(
    fc.property(word, fc.boolean(), (keyword, upper) => {
      const text = `It says: ${upper ? keyword.toUpperCase() : keyword}.`;
      expect(matches([keyword], text)).toContain(keyword);
    }),
    { seed: 4, numRuns: 300 },
  );
});

test("ten thousand keywords are as exact as one", () => {
  const keywords = Array.from(
    { length: 10_000 },
    (_, index) => `codename${String.fromCharCode(97 + (index % 26))}${index}`,
  );
  expect(matches(keywords, "about codenamec9232, no more")).toContain(keywords[9232]);
  expect(matches(keywords, "about codename, no more")).toEqual([]);
});
