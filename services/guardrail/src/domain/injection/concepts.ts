import { EdgeTable } from "../edge-table.ts";
import { charClasses, UNSPACED } from "../text/char-class.ts";
import { concepts, type Concept, lexicon } from "./lexicon.ts";
import { readText } from "../text/readings.ts";
import { type Letters, lettersOf, WORD_END, WORD_START } from "./letters.ts";

/** One idea found in a text. `at` is the index of its first letter. */
export interface ConceptHit {
  readonly concept: number;
  readonly at: number;
  readonly end: number;
}

/** Two ideas this many letters apart count as near and as related. */
const nearLetters = 30;
const relatedLetters = 90;
const recentHitsMax = 12;
/** A word longer than this has lost its spaces: stems are then looked for anywhere in it. */
const joinedWordLength = 18;

export const conceptCount = concepts.length;
/** Features of ideas: each alone, each ordered pair near, each ordered pair related. */
export const conceptFeatureCount = conceptCount + 2 * conceptCount * conceptCount;

export interface ConceptFeature {
  readonly feature: number;
  /** Letter index at which the idea, or the later idea of the pair, ends. */
  readonly at: number;
}

interface Stems {
  readonly edges: EdgeTable;
  /** Per state: concept + 1 when a stem ends there, negative for a whole word; 0 otherwise. */
  readonly ends: Int16Array;
}

let stems: Stems | undefined;

/** Finds the ideas of the lexicon in order of their start; the longest stem wins at each place. Linear. */
export function findConcepts(letters: Letters): ConceptHit[] {
  stems ??= buildStems();
  const classes = charClasses();
  const hits: ConceptHit[] = [];
  let joined = false;
  for (let index = 0; index < letters.length; index += 1) {
    const starts = ((letters.edges[index] ?? 0) & WORD_START) !== 0;
    if (starts) joined = isJoined(letters, index);
    else if (!joined) continue;
    const unspaced = ((classes[letters.codes[index] ?? 0] ?? 0) & UNSPACED) !== 0;
    const hit = longestStem(letters, index, { stems, anywhere: unspaced, inside: !starts });
    if (hit !== undefined) hits.push(hit);
  }
  return hits;
}

function isJoined(letters: Letters, wordStart: number): boolean {
  const last = wordStart + joinedWordLength;
  if (last >= letters.length) return false;
  for (let index = wordStart; index < last; index += 1) {
    if (((letters.edges[index] ?? 0) & WORD_END) !== 0) return false;
  }
  return true;
}

interface StemSearch {
  readonly stems: Stems;
  readonly anywhere: boolean;
  readonly inside: boolean;
}

function longestStem(letters: Letters, at: number, search: StemSearch): ConceptHit | undefined {
  const { edges, ends } = search.stems;
  let state = 0;
  let found: ConceptHit | undefined;
  for (let index = at; index < letters.length; index += 1) {
    state = edges.next(state, letters.codes[index] ?? 0);
    if (state === -1) return found;
    const mark = ends[state] ?? 0;
    if (mark === 0) continue;
    const wholeWord = mark < 0;
    if (wholeWord && ((letters.edges[index] ?? 0) & WORD_END) === 0) continue;
    // Short stems inside a joined word would be chance.
    if (search.inside && !search.anywhere && index - at < 4) continue;
    found = { concept: Math.abs(mark) - 1, at, end: index + 1 };
  }
  return found;
}

/** The features of a list of ideas; each pair looks back over a bounded number of earlier ideas. */
export function conceptFeatures(hits: readonly ConceptHit[]): ConceptFeature[] {
  const features: ConceptFeature[] = [];
  for (const [position, hit] of hits.entries()) {
    const at = hit.end - 1;
    features.push({ feature: hit.concept, at });
    const seen = new Set<number>();
    for (let back = position - 1; back >= 0 && position - back <= recentHitsMax; back -= 1) {
      const earlier = hits[back];
      if (earlier === undefined || hit.at - earlier.end > relatedLetters) break;
      if (earlier.concept === hit.concept || seen.has(earlier.concept)) continue;
      seen.add(earlier.concept);
      const pair = earlier.concept * conceptCount + hit.concept;
      const near = hit.at - earlier.end <= nearLetters;
      features.push({ feature: conceptCount + (near ? 0 : conceptCount * conceptCount) + pair, at });
    }
  }
  return features;
}

/** Name of a feature for explanations, such as `override+instruction`. */
export function conceptFeatureName(feature: number): string {
  if (feature < conceptCount) return nameOf(feature);
  const pair = (feature - conceptCount) % (conceptCount * conceptCount);
  return `${nameOf(Math.floor(pair / conceptCount))}+${nameOf(pair % conceptCount)}`;
}

function nameOf(concept: number): string {
  return concepts[concept] ?? "unknown";
}

function buildStems(): Stems {
  const edges = new EdgeTable();
  const marks: [number, number][] = [];
  for (const [position, concept] of concepts.entries()) {
    for (const entry of entriesOf(concept)) {
      const whole = entry.endsWith("$");
      const { codes, length } = lettersOf(readText(whole ? entry.slice(0, -1) : entry).folded);
      let state = 0;
      for (let index = 0; index < length; index += 1) state = edges.extend(state, codes[index] ?? 0);
      marks.push([state, whole ? -(position + 1) : position + 1]);
    }
  }
  const ends = new Int16Array(edges.stateCount);
  for (const [state, mark] of marks) ends[state] ||= mark;
  return { edges, ends };
}

function entriesOf(concept: Concept): string[] {
  return lexicon[concept].split(/\s+/u).filter((entry) => entry.length > 0);
}
