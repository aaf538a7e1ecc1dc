import { runAtOnce } from "@gatehouse/pace";
import fc from "fast-check";
import { expect, test } from "vitest";
import { loadModel } from "../../model-file.ts";
import { readText } from "../text/readings.ts";
import { compileKeywordSteps } from "./keyword-set.ts";
import { findKeywords } from "./keywords.ts";

const { letterStatistics } = loadModel();
const letters = runAtOnce(compileKeywordSteps(["falcon", "project falcon", "sreggirt", "zkqj", "機密", "ject"]));
const signs = runAtOnce(compileKeywordSteps(["falcon", "@zkqj", "project falcon"]));

/** Words of which some look scrambled, so that passages of them are turned, and keywords whole, broken and apart. */
const words = fc.constantFrom(
  "falcon",
  "fal-con",
  "project",
  "ject",
  "project" + " ".repeat(700) + "falcon",
  "sreggirt",
  "elbatpecca sreggirt noitamrofni",
  "zkqj xvbnq wrtpl qxzjv",
  "vtaber nyy cerivbhf vafgehpgvbaf",
  "機密",
  "機 密",
  "@zkqj",
  "wwww",
  "a b c d e f",
  "the committee agreed on it",
  "\n",
  "😀",
);
const texts = fc.array(words, { maxLength: 40 }).map((parts) => parts.join(" "));

test("a search of the decoded passages finds the keywords of a full search", () => {
  let turnedCount = 0;
  fc.assert(
    fc.property(texts, fc.constantFrom(letters, signs), (text, set) => {
      const readings = readText(text, letterStatistics);
      if (readings.turned !== undefined && readings.turned.length > 0) turnedCount += 1;
      const { source, plain, canonical, rows, folded, asWritten, hasPictographs, letters: found } = readings;
      const { repaired, repairedLetters } = readings;
      const all = { source, plain, canonical, rows, folded, asWritten, hasPictographs, letters: found, repaired };
      expect(findKeywords(readings, set)).toEqual(findKeywords({ ...all, repairedLetters, turned: undefined }, set));
    }),
    { numRuns: 2_000, seed: 7 },
  );
  expect(turnedCount).toBeGreaterThan(100);
});

test("a keyword is found as written in a passage that was decoded, after any width of blanks", () => {
  const text = `we discuss project${" ".repeat(3_000)}falcon elbatpecca sreggirt noitamrofni nrettap egaugnal`;
  const readings = readText(text, letterStatistics);
  expect(readings.asWritten).not.toBe(readings.folded);
  expect(findKeywords(readings, letters).map(({ keyword }) => keyword)).toContain("project falcon");
});
