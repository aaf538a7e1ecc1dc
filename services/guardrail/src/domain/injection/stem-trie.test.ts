import fc from "fast-check";
import { expect, test } from "vitest";
import { type Letters, lettersOf } from "../text/letters.ts";
import { readText } from "../text/readings.ts";
import { concepts, lexicon } from "./lexicon.ts";
import { lettersWithoutMarkup } from "./markup.ts";
import { StemTrie } from "./stem-trie.ts";
import { findStems, type Hits, lengthOf, longestStemAt } from "./stems.ts";

const entries = concepts.flatMap((concept) => lexicon[concept].split(/\s+/u).filter((entry) => entry.length > 0));
const spellings = entries.map((entry) => entry.replace(/\$?!?$/u, ""));
/** Letters of each stem, and whether it is a whole word: of equal ones the first counts. */
const stems = new Map<string, boolean>();
for (const entry of entries) {
  const { codes, length } = lettersOf(readText(entry.replace(/\$?!?$/u, "")).folded);
  const letters = String.fromCharCode(...codes.subarray(0, length));
  if (letters !== "" && !stems.has(letters)) stems.set(letters, /\$!?$/u.test(entry));
}

/** The rule as it reads: the longest of all stems that the letters go on with. */
function searched({ codes, starts, length }: Letters, from: number): number {
  const text = String.fromCharCode(...codes.subarray(from, Math.min(length, from + 64)));
  const fitting = [...stems].filter(([stem, isWhole]) => {
    return text.startsWith(stem) && (!isWhole || starts[from + stem.length] === 1);
  });
  return fitting.reduce((longest, [stem]) => Math.max(longest, stem.length), 0);
}

test("the longest stem at a letter equals that of a search through the lexicon", () => {
  const stem = fc.constantFrom(...spellings);
  const changed = fc.tuple(stem, fc.nat(12), fc.constantFrom("", "x", "e", " ", "и", "中", "の", "가"));
  const piece = fc.oneof(
    stem,
    changed.map(([text, at, sign]) => text.slice(0, at) + sign + text.slice(at)),
    changed.map(([text, at]) => text.slice(0, at)),
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), fc.constantFrom("", " "), (pieces, between) => {
      const letters = lettersOf(readText(pieces.join(between)).folded);
      for (let at = 0; at < letters.length; at += 1) {
        expect(lengthOf(longestStemAt(letters, at))).toBe(searched(letters, at));
      }
    }),
    { seed: 26, numRuns: 60 },
  );
});

test("more stems than its numbers can name are refused", () => {
  const leaf = { children: new Map<number, number>(), end: 1 };
  // Each state has two edges, so that no chain spares its slots.
  const nodes = Array.from({ length: 20_000 }, (_, state) => {
    return { children: new Map([[0x61, state + 1], [0x62, 20_000]]), end: 0 }; // prettier-ignore
  });
  expect(() => new StemTrie([...nodes, leaf])).toThrow("more stems");
});

test("letters that continue a host or a tag belong to the first word, with their stem", () => {
  const { folded, letters } = readText("http://a.bঅনুবাদ hacker");
  const left = lettersWithoutMarkup(folded, letters);
  const hits: Hits = { ats: new Int32Array(left.length), stems: new Int32Array(left.length), count: 0 };
  findStems(left, new Int32Array(left.wordCount + 1), hits);
  expect([left.starts[0], [...hits.ats.subarray(0, hits.count)]]).toEqual([0, [0]]);
});
