import { EdgeTable } from "../edge-table.ts";
import { type Letters, lettersOf } from "../text/letters.ts";
import { readText } from "../text/readings.ts";
import { concepts, type Concept, lexicon } from "./lexicon.ts";
import { StemBeginnings } from "./stem-beginnings.ts";

/**
 * Ideas found in a text, as ranges of letters (what stands between letters is not counted), in the order of their beginnings. Numbers
 * side by side, because a text has one in 25 letters; only the first `count` entries count.
 */
export interface Hits {
  /** Letter at which each begins. */
  readonly ats: Int32Array;
  /** The finds of `longestStemAt` there. */
  readonly stems: Int32Array;
  count: number;
}

/** A word longer than this has lost its spaces: stems are then looked for anywhere in it. */
export const joinedWordLength = 18;
/** Shorter stems inside a joined word would be chance. */
const insideStemMin = 5;

const ANCHOR = 128;

/** Latin letters are looked up without hashing: 32 entries a state, at the letter's last five bits; 0 for no edge. */
const latinBits = 5;
const latinFirst = 0x60;
const latinCount = 1 << latinBits;

interface Stems {
  readonly edges: EdgeTable;
  readonly latin: Uint16Array;
  /** Per state: concept + 1, and `ANCHOR`, when a stem ends there; negative for a whole word; 0 otherwise. */
  readonly ends: Int16Array;
  /** Settles most words with one look. */
  readonly beginnings: StemBeginnings;
}

let stems: Stems | undefined;

/**
 * The longest stem that begins at a letter, wherever words end: its concept and its number of letters in one number, for
 * `conceptOf`, `lengthOf` and `isAnchor`; 0 when there is none. One number, because this runs for every word.
 */
export function longestStemAt(letters: Letters, start: number): number {
  stems ??= buildStems();
  const { codes, length, starts } = letters;
  const { ends, beginnings } = stems;
  if (!beginnings.mayBegin(letters, start)) return 0;
  let found = 0;
  let state = nextState(stems, 0, codes[start] ?? 0);
  for (let index = start; state !== -1;) {
    const end = ends[state] ?? 0;
    if (end > 0 || (end < 0 && starts[index + 1] === 1)) {
      // An anchor stays one when a longer stem goes on from it.
      found = (Math.abs(end) + (index + 1 - start) * 256) | (found & ANCHOR);
    }
    index += 1;
    if (index >= length) break;
    state = nextState(stems, state, codes[index] ?? 0);
  }
  return found;
}

/** The state after a letter, or -1. */
function nextState({ edges, latin }: Stems, state: number, code: number): number {
  const letter = code ^ latinFirst;
  return letter < latinCount ? (latin[(state << latinBits) | letter] ?? 0) || -1 : edges.next(state, code);
}

/** Number of the idea that a stem stands for. */
export function conceptOf(stem: number): number {
  return (stem & (ANCHOR - 1)) - 1;
}

/** Number of letters of a stem. */
export function lengthOf(stem: number): number {
  return stem >> 8;
}

/** Whether precise patterns may occur around a stem. */
export function isAnchor(stem: number): boolean {
  return (stem & ANCHOR) !== 0;
}

/** Adds a stem to the hits of a text, which have room for one at each letter. */
export function addHit(hits: Hits, stem: number, at: number): void {
  hits.ats[hits.count] = at;
  hits.stems[hits.count] = stem;
  hits.count += 1;
}

/** Adds the stems inside a word that has lost its spaces. */
export function findStemsInside(
  letters: Letters,
  word: { readonly start: number; readonly end: number },
  hits: Hits,
): void {
  for (let at = word.start + 1; at < word.end; at += 1) {
    const stem = longestStemAt(letters, at);
    if (lengthOf(stem) >= insideStemMin) addHit(hits, stem, at);
  }
}

function buildStems(): Stems {
  const edges = new EdgeTable();
  const beginnings = new StemBeginnings();
  const marks: [number, number][] = [];
  for (const [position, concept] of concepts.entries()) {
    for (const entry of entriesOf(concept)) {
      const [, spelling = "", whole, anchor] = /^(.+?)(\$)?(!)?$/u.exec(entry) ?? [];
      const { codes, length } = lettersOf(readText(spelling).folded);
      const stem = codes.subarray(0, length);
      let state = 0;
      for (const code of stem) state = edges.extend(state, code);
      beginnings.add(stem, whole !== undefined);
      const mark = position + 1 + (anchor === undefined ? 0 : ANCHOR);
      marks.push([state, whole === undefined ? mark : -mark]);
    }
  }
  const ends = new Int16Array(edges.stateCount);
  for (const [state, mark] of marks) if (state !== 0) ends[state] = firstMark(ends[state] ?? 0, mark);
  return { edges, latin: latinEdges(edges), ends, beginnings };
}

/** A stem that stands under two ideas belongs to the first; it is an anchor when it is one under either. */
function firstMark(first: number, mark: number): number {
  if (first === 0) return mark;
  const either = Math.abs(first) | (Math.abs(mark) & ANCHOR);
  return first < 0 ? -either : either;
}

function latinEdges(edges: EdgeTable): Uint16Array {
  const latin = new Uint16Array(edges.stateCount << latinBits);
  for (let place = 0; place < latin.length; place += 1) {
    const next = edges.next(place >> latinBits, latinFirst | (place & (latinCount - 1)));
    if (next !== -1) latin[place] = next;
  }
  return latin;
}

function entriesOf(concept: Concept): string[] {
  return lexicon[concept].split(/\s+/u).filter((entry) => entry.length > 0);
}
