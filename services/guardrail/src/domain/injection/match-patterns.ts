import { RE2Set } from "re2js";
import { type Reading, readingText } from "../text/reading.ts";
import type { Letters } from "../text/letters.ts";
import { addressedForms, addressedMax } from "./addressed.ts";
import { concepts } from "./lexicon.ts";
import { injectionPatterns } from "./patterns.ts";
import type { ConceptHit } from "./stems.ts";

/** The longest patterns reach this many units to either side of their anchor. */
const reach = 240;

const instruction = concepts.indexOf("instruction");
const actions = new Set((["override", "reveal"] as const).map((concept) => concepts.indexOf(concept)));
/** Ideas that the forms of orders inside data hang on. */
const addressees = new Set(
  (
    [
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
    ] as const
  ).map((concept) => concepts.indexOf(concept)),
);
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
  const counts = (hit: ConceptHit, position: number): boolean => hit.isAnchor && mayCount(hits, position);
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
export function matchAddressed(folded: Reading, letters: Letters, hits: readonly ConceptHit[]): Addressed {
  let best: Addressed = { names: [], weight: 0 };
  let left = addressedStretchesMax;
  for (const stretch of stretchesAround({ folded, letters, hits }, ({ concept }) => addressees.has(concept))) {
    if (left === 0) break;
    left -= 1;
    const found = addressedForms.filter(({ pattern }) => pattern.test(stretch));
    const weight = Math.min(
      addressedMax,
      found.reduce((sum, form) => sum + form.weight, 0),
    );
    if (weight > best.weight) best = { names: found.map(({ name }) => name), weight };
    if (weight === addressedMax) break;
  }
  return best;
}

interface Read {
  readonly folded: Reading;
  readonly letters: Letters;
  readonly hits: readonly ConceptHit[];
}

/** Texts of the stretches around the ideas that count; those that touch are one, up to a length. */
function* stretchesAround(
  { folded, letters, hits }: Read,
  counts: (hit: ConceptHit, position: number) => boolean,
): Generator<string> {
  let start = 0;
  let end = -1;
  for (let position = 0; position < hits.length; position += 1) {
    const hit = hits[position];
    if (hit === undefined || !counts(hit, position)) continue;
    const index = letters.positions[hit.at] ?? 0;
    if (index - reach > end || end - start > pieceLengthMax) {
      if (end > start) yield readingText(folded, start, end);
      start = Math.max(0, index - reach);
    }
    end = Math.max(end, Math.min(folded.length, index + reach));
  }
  if (end > start) yield readingText(folded, start, end);
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

function buildPatternSet(): RE2Set {
  const set = new RE2Set(RE2Set.UNANCHORED, 0);
  for (const { pattern } of injectionPatterns) set.add(`(?s)${pattern}`);
  set.compile();
  return set;
}
