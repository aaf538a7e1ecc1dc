import { expect, test } from "vitest";
import { lettersOf } from "../text/letters.ts";
import { readText } from "../text/readings.ts";
import { concepts, lexicon } from "./lexicon.ts";
import { longestStemAt } from "./stems.ts";

const entries = concepts.flatMap((concept) => lexicon[concept].split(/\s+/u).filter((entry) => entry.length > 0));

test("every stem of the lexicon is found, at the end of a text and before other words", () => {
  const missed = entries.filter((entry) => {
    const spelling = entry.replace(/!$/u, "").replace(/\$$/u, "");
    return ["", " with other words"].some((behind) => {
      const { codes, length, ...rest } = lettersOf(readText(`${spelling}${behind}`).folded);
      return length > 0 && longestStemAt({ codes, length, ...rest }, 0) === 0;
    });
  });
  expect(missed).toEqual([]);
});
