import { RE2Set } from "re2js";
import type { Letters } from "../text/letters.ts";
import { type Reading, readingText } from "../text/reading.ts";
import { addressedMax, weighOrders } from "./addressed.ts";
import { concepts } from "./lexicon.ts";
import { injectionPatterns } from "./patterns.ts";
import { conceptOf, type Hits, isAnchor, lengthOf } from "./stems.ts";

/** The longest patterns reach this many units to either side of their anchor. */
const reach = 240;

const instruction = concepts.indexOf("instruction");
const actions = new Set((["override", "reveal"] as const).map((concept) => concepts.indexOf(concept)));
/** Ideas that the forms of orders inside data hang on. */
const isAddressee = new Uint8Array(concepts.length);
for (const concept of [
  "assistant",
  "modelName",
  "reader",
  "reading",
  "hide",
  "covert",
  "data",
  "secret",
  "link",
  "dialogue",
  "answer",
  "role",
  "encode",
  "claim",
] as const)
  isAddressee[concepts.indexOf(concept)] = 1;
/** Ideas between an action and the instructions it is done to. */
const wordsBefore = 16;

let patternSet: RE2Set | undefined;

/** Longer stretches are searched in pieces. */
const pieceLengthMax = 2048;

/**
 * Names of the precise patterns in a folded reading, as far as the first stretch that has any: one is enough to decide.
 * Every pattern has an anchor of the lexicon in it. Linear.
 */
export function matchPatterns(folded: Reading, letters: Letters, hits: Hits): string[] {
  const counts = (stem: number, position: number): boolean => isAnchor(stem) && mayCount(hits, position);
  for (const stretch of stretchesAround({ folded, letters, hits }, counts)) {
    patternSet ??= buildPatternSet();
    const found = patternSet.match(stretch);
    if (found.length > 0) return found.map((number) => injectionPatterns[number]?.name ?? "");
  }
  return [];
}

/** Orders inside data: the names of the forms in the stretch that weighs most, and what they add to the score. */
interface Addressed {
  readonly names: readonly string[];
  readonly weight: number;
}

/** Stretches that are looked through; a text with more of the words that orders hang on is judged by its weights alone. */
const addressedStretchesMax = 128;

/** Looks for the forms of orders inside data, in the stretches around the ideas that they hang on. Bounded. */
export function matchAddressed(folded: Reading, letters: Letters, hits: Hits): Addressed {
  let best: Addressed = { names: [], weight: 0 };
  let left = addressedStretchesMax;
  for (const stretch of stretchesAround({ folded, letters, hits }, (stem) => isAddressee[conceptOf(stem)] === 1)) {
    if (left === 0) break;
    left -= 1;
    const { forms, weight } = weighOrders(stretch);
    if (weight > best.weight) best = { names: forms, weight };
    if (weight === addressedMax) break;
  }
  return best;
}

interface Read {
  readonly folded: Reading;
  readonly letters: Letters;
  readonly hits: Hits;
}

/** Texts of the stretches around the ideas that count; those that touch are one, up to a length. */
function* stretchesAround(
  { folded, letters, hits }: Read,
  counts: (stem: number, position: number) => boolean,
): Generator<string> {
  let start = 0;
  let end = -1;
  for (let position = 0; position < hits.count; position += 1) {
    if (!counts(hits.stems[position] ?? 0, position)) continue;
    const index = letters.positions[hits.ats[position] ?? 0] ?? 0;
    if (index - reach > end || end - start > pieceLengthMax) {
      if (end > start) yield readingText(folded, start, end);
      start = Math.max(0, index - reach);
    }
    end = Math.max(end, Math.min(folded.length, index + reach));
  }
  if (end > start) yield readingText(folded, start, end);
}

/** Instructions and prompts are common words: they count where something is done to them. */
function mayCount({ ats, stems }: Hits, position: number): boolean {
  if (conceptOf(stems[position] ?? 0) !== instruction) return true;
  const at = ats[position] ?? 0;
  for (let back = position - 1; back >= 0 && position - back <= wordsBefore; back -= 1) {
    const earlier = stems[back] ?? 0;
    if (at - (ats[back] ?? 0) - lengthOf(earlier) > reach) return false;
    if (actions.has(conceptOf(earlier))) return true;
  }
  return false;
}

function buildPatternSet(): RE2Set {
  const set = new RE2Set(RE2Set.UNANCHORED, 0);
  for (const { pattern } of injectionPatterns) set.add(`(?s)${pattern}`);
  set.compile();
  return set;
}
