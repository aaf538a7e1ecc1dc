import { RE2Set } from "re2js";
import { type Reading, readingText } from "../text/reading.ts";
import type { Letters } from "../text/letters.ts";
import { injectionPatterns } from "./patterns.ts";
import type { ConceptHit } from "./stems.ts";

/** The longest patterns reach this many units to either side of their anchor. */
const reach = 240;

let patternSet: RE2Set | undefined;

/** Longer stretches are searched in pieces. */
const pieceLengthMax = 2048;

/**
 * Names of the precise patterns in a folded reading, as far as the first stretch that has any: one is enough to decide.
 * Every pattern has an anchor of the lexicon in it. Linear.
 */
export function matchPatterns(folded: Reading, letters: Letters, hits: readonly ConceptHit[]): string[] {
  let start = 0;
  let end = -1;
  for (const { isAnchor, at } of hits) {
    if (!isAnchor) continue;
    const index = letters.positions[at] ?? 0;
    if (index - reach > end || end - start > pieceLengthMax) {
      const found = search(folded, start, end);
      if (found.length > 0) return found;
      start = Math.max(0, index - reach);
    }
    end = Math.max(end, Math.min(folded.length, index + reach));
  }
  return search(folded, start, end);
}

function search(folded: Reading, start: number, end: number): string[] {
  if (end <= start) return [];
  patternSet ??= buildPatternSet();
  return patternSet.match(readingText(folded, start, end)).map((number) => injectionPatterns[number]?.name ?? "");
}

function buildPatternSet(): RE2Set {
  const set = new RE2Set(RE2Set.UNANCHORED, 0);
  for (const { pattern } of injectionPatterns) set.add(`(?s)${pattern}`);
  set.compile();
  return set;
}
