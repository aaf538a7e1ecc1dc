import { RE2Set } from "re2js";
import { type Reading, readingText } from "../text/reading.ts";
import type { Letters } from "../text/letters.ts";
import { concepts } from "./lexicon.ts";
import { injectionPatterns } from "./patterns.ts";
import type { ConceptHit } from "./stems.ts";

/** The longest patterns reach this many units to either side of their anchor. */
const reach = 240;

const instruction = concepts.indexOf("instruction");
const actions = new Set((["override", "reveal"] as const).map((concept) => concepts.indexOf(concept)));
/** Ideas between an action and the instructions it is done to. */
const wordsBefore = 16;

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
  for (const [position, { isAnchor, at }] of hits.entries()) {
    if (!isAnchor || !mayCount(hits, position)) continue;
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

/** Instructions and prompts are common words: they count where something is done to them. */
function mayCount(hits: readonly ConceptHit[], position: number): boolean {
  const anchor = hits[position];
  if (anchor === undefined || anchor.concept !== instruction) return true;
  for (let back = position - 1; back >= 0 && position - back <= wordsBefore; back -= 1) {
    const earlier = hits[back];
    if (earlier === undefined || anchor.at - earlier.end > reach) return false;
    if (actions.has(earlier.concept)) return true;
  }
  return false;
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
