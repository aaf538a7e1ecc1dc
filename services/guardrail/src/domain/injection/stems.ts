import { EdgeTable } from "../edge-table.ts";
import { charClasses, LETTER, UNSPACED } from "../text/char-class.ts";
import type { Reading } from "../text/reading.ts";
import { readText } from "../text/readings.ts";
import { concepts, type Concept, lexicon } from "./lexicon.ts";

/** One idea found in a text, as a range of letters (what stands between letters is not counted). */
export interface ConceptHit {
  readonly concept: number;
  readonly at: number;
  readonly end: number;
  /** Index of the first letter in the folded reading. */
  readonly index: number;
}

/** A word longer than this has lost its spaces: stems are then looked for anywhere in it. */
export const joinedWordLength = 18;
/** Shorter stems inside a joined word would be chance. */
const insideStemMin = 5;

interface Stems {
  readonly edges: EdgeTable;
  /** Per state: concept + 1 when a stem ends there, negative for a whole word; 0 otherwise. */
  readonly ends: Int16Array;
}

let stems: Stems | undefined;

/**
 * The longest stem that begins at a letter, reading over spaces and signs: its concept and its number of letters in one
 * number, for `conceptOf` and `lettersOfStem`; 0 when there is none. One number, because this runs for every word.
 */
export function longestStemAt(folded: Reading, start: number): number {
  stems ??= buildStems();
  const { codes, length } = folded;
  const { edges, ends } = stems;
  let state = edges.next(0, codes[start] ?? 0);
  if (state === -1) return 0;
  const classes = charClasses();
  let found = 0;
  let letters = 1;
  let judged = 0;
  for (let index = start + 1; ; index += 1) {
    const flags = index < length ? (classes[codes[index] ?? 0] ?? 0) : 0;
    const isLetter = (flags & LETTER) !== 0;
    const end = ends[state] ?? 0;
    // Reached with each unit after a stem; the first one says whether the word ends there.
    if (end !== 0 && judged !== letters) {
      judged = letters;
      if (end > 0 || !isLetter || isApart(classes, codes, index)) found = Math.abs(end) + letters * 256;
    }
    if (isLetter) {
      state = edges.next(state, codes[index] ?? 0);
      if (state === -1) return found;
      letters += 1;
    } else if (index >= length) return found;
  }
}

export function conceptOf(stem: number): number {
  return (stem & 255) - 1;
}

export function lettersOfStem(stem: number): number {
  return stem >> 8;
}

/** Adds the stems inside a word that has lost its spaces. */
export function findStemsInside(
  folded: Reading,
  word: { readonly start: number; readonly end: number; readonly letter: number },
  hits: ConceptHit[],
): void {
  for (let index = word.start + 1; index < word.end; index += 1) {
    const stem = longestStemAt(folded, index);
    const letters = lettersOfStem(stem);
    if (letters < insideStemMin) continue;
    const at = word.letter + index - word.start;
    hits.push({ concept: conceptOf(stem), at, end: at + letters, index });
  }
}

/** In scripts without spaces every letter ends a word. */
function isApart(classes: Uint8Array, codes: Uint16Array, index: number): boolean {
  return (((classes[codes[index] ?? 0] ?? 0) | (classes[codes[index - 1] ?? 0] ?? 0)) & UNSPACED) !== 0;
}

function buildStems(): Stems {
  const edges = new EdgeTable();
  const classes = charClasses();
  const marks: [number, number][] = [];
  for (const [position, concept] of concepts.entries()) {
    for (const entry of entriesOf(concept)) {
      const whole = entry.endsWith("$");
      const { codes, length } = readText(whole ? entry.slice(0, -1) : entry).folded;
      let state = 0;
      for (const code of codes.subarray(0, length)) {
        if (((classes[code] ?? 0) & LETTER) !== 0) state = edges.extend(state, code);
      }
      marks.push([state, whole ? -(position + 1) : position + 1]);
    }
  }
  const ends = new Int16Array(edges.stateCount);
  for (const [state, mark] of marks) if (state !== 0) ends[state] ||= mark;
  return { edges, ends };
}

function entriesOf(concept: Concept): string[] {
  return lexicon[concept].split(/\s+/u).filter((entry) => entry.length > 0);
}
