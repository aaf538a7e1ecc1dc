import { RE2Set } from "re2js";
import { type Reading, readingText } from "../text/reading.ts";
import type { Letters } from "../text/letters.ts";
import { injectionPatterns } from "./patterns.ts";
import type { ConceptHit } from "./stems.ts";

/** The longest patterns reach this many units to either side of their anchor. */
const reach = 240;

let patternSet: RE2Set | undefined;

/** Names of the precise patterns in a folded reading. Every pattern has an anchor of the lexicon in it. Linear. */
export function matchPatterns(folded: Reading, letters: Letters, hits: readonly ConceptHit[]): string[] {
  const found = new Set<number>();
  let start = 0;
  let end = -1;
  for (const { isAnchor, at } of hits) {
    if (!isAnchor) continue;
    const index = letters.positions[at] ?? 0;
    if (index - reach > end) {
      search(folded, { start, end }, found);
      start = Math.max(0, index - reach);
    }
    end = Math.max(end, Math.min(folded.length, index + reach));
  }
  search(folded, { start, end }, found);
  return Array.from(found, (number) => injectionPatterns[number]?.name ?? "");
}

function search(folded: Reading, range: { start: number; end: number }, found: Set<number>): void {
  if (range.end <= range.start) return;
  patternSet ??= buildPatternSet();
  for (const number of patternSet.match(readingText(folded, range.start, range.end))) found.add(number);
}

function buildPatternSet(): RE2Set {
  const set = new RE2Set(RE2Set.UNANCHORED, 0);
  for (const { pattern } of injectionPatterns) set.add(`(?s)${pattern}`);
  set.compile();
  return set;
}
