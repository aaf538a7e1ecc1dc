import { EdgeTable } from "../edge-table.ts";
import { type Letters, lettersOf } from "../text/letters.ts";
import { readText } from "../text/readings.ts";
import { concepts, type Concept, lexicon } from "./lexicon.ts";
import { StemBeginnings } from "./stem-beginnings.ts";
import { latinCount, latinFirst, StemTrie } from "./stem-trie.ts";

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
const joinedWordLength = 18;
/** Shorter stems inside a joined word would be chance. */
const insideStemMin = 5;

const ANCHOR = 128;

interface Stems {
  /** All stems. */
  readonly edges: EdgeTable;
  /** Stems that begin with Latin letters. */
  readonly trie: StemTrie;
  /** Per state: concept + 1, and `ANCHOR`, when a stem ends there; negative for a whole word; 0 otherwise. */
  readonly ends: Int16Array;
  /** Settles most words with one look. */
  readonly beginnings: StemBeginnings;
}

let stems: Stems | undefined;

/**
 * Adds the stems at the beginnings of words, and inside words that have lost their spaces. Words that may begin one are collected
 * first, without branches.
 * @param words memory for a number for each word, and one more
 */
export function findStems(letters: Letters, words: Int32Array, hits: Hits): void {
  stems ??= buildStems();
  const { beginnings } = stems;
  const { wordStarts, wordCount, length } = letters;
  let count = 0;
  let before = 0;
  for (let number = 0; number < wordCount; number += 1) {
    const end = number + 1 < wordCount ? (wordStarts[number + 1] ?? 0) : length;
    words[count] = number;
    count += beginnings.mayBegin(letters, before) | ((joinedWordLength - (end - before)) >>> 31);
    before = end;
  }
  for (let index = 0; index < count; index += 1) {
    const number = words[index] ?? 0;
    // Letters that go on markup belong to the first word.
    const start = number === 0 ? 0 : (wordStarts[number] ?? 0);
    const stem = longestStem(letters, start, stems);
    if (stem !== 0) addHit(hits, stem, start);
    const end = number + 1 < wordCount ? (wordStarts[number + 1] ?? 0) : length;
    if (end - start > joinedWordLength) findStemsInside(letters, { start, end }, hits);
  }
}

/**
 * The longest stem that begins at a letter, wherever words end: its concept and its number of letters in one number, for
 * `conceptOf`, `lengthOf` and `isAnchor`; 0 when there is none. One number, because this runs for many words.
 */
export function longestStemAt(letters: Letters, start: number): number {
  stems ??= buildStems();
  return stems.beginnings.mayBegin(letters, start) === 0 ? 0 : longestStem(letters, start, stems);
}

function longestStem(letters: Letters, start: number, known: Stems): number {
  const { codes, length, starts } = letters;
  const { trie } = known;
  const { slots } = trie;
  let found = 0;
  let slot = 0;
  for (let index = start; index < length;) {
    const letter = (codes[index] ?? 0) ^ latinFirst;
    if (letter >= latinCount) return goOn(letters, known, { start, index, state: trie.states[slot] ?? 0, found });
    const next = ((slots[slot * 2] ?? 0) >>> 16) + letter;
    if (((slots[next * 2] ?? 0) & 0xffff) !== slot) break;
    slot = next;
    index += 1;
    const endAndChain = slots[slot * 2 + 1] ?? 0;
    const end = (endAndChain << 16) >> 16;
    if (end > 0 || (end < 0 && starts[index] === 1)) found = longer(found, end, index - start);
    const chain = endAndChain >>> 16;
    if (chain !== 0) return endOfChain(letters, trie.chains, { start, index, chain, found });
  }
  return found;
}

/** A find and the longer one that goes on from it: an anchor stays one. */
function longer(found: number, end: number, length: number): number {
  return (Math.abs(end) + length * 256) | (found & ANCHOR);
}

interface ChainPlace {
  readonly start: number;
  readonly index: number;
  readonly chain: number;
  readonly found: number;
}

/** The find where only one stem can go on. */
function endOfChain(letters: Letters, chains: Uint16Array, { start, index, chain, found }: ChainPlace): number {
  const { codes, length, starts } = letters;
  const rest = index + (chains[chain] ?? 0);
  if (rest > length) return found;
  for (let at = index, link = chain + 2; at < rest; at += 1, link += 1) if (codes[at] !== chains[link]) return found;
  const end = ((chains[chain + 1] ?? 0) << 16) >> 16;
  return end > 0 || starts[rest] === 1 ? longer(found, end, rest - start) : found;
}

interface StatePlace {
  readonly start: number;
  readonly index: number;
  readonly state: number;
  readonly found: number;
}

/** The find from a letter on that is not Latin. */
function goOn(letters: Letters, { edges, ends }: Stems, place: StatePlace): number {
  const { codes, length, starts } = letters;
  let { found, index } = place;
  for (let { state } = place; index < length;) {
    state = edges.next(state, codes[index] ?? 0);
    if (state === -1) break;
    index += 1;
    const end = ends[state] ?? 0;
    if (end > 0 || (end < 0 && starts[index] === 1)) found = longer(found, end, index - place.start);
  }
  return found;
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
function addHit(hits: Hits, stem: number, at: number): void {
  hits.ats[hits.count] = at;
  hits.stems[hits.count] = stem;
  hits.count += 1;
}

/** Adds the stems inside a word that has lost its spaces. */
function findStemsInside(letters: Letters, word: { readonly start: number; readonly end: number }, hits: Hits): void {
  for (let at = word.start + 1; at < word.end; at += 1) {
    const stem = longestStemAt(letters, at);
    if (lengthOf(stem) >= insideStemMin) addHit(hits, stem, at);
  }
}

function buildStems(): Stems {
  const edges = new EdgeTable();
  const beginnings = new StemBeginnings();
  const marks: [number, number][] = [];
  const children: Map<number, number>[] = [];
  for (const [position, concept] of concepts.entries()) {
    for (const entry of entriesOf(concept)) {
      const [, spelling = "", whole, anchor] = /^(.+?)(\$)?(!)?$/u.exec(entry) ?? [];
      const { codes, length } = lettersOf(readText(spelling).folded);
      const stem = codes.subarray(0, length);
      let state = 0;
      for (const code of stem) {
        const next = edges.extend(state, code);
        (children[state] ??= new Map()).set(code, next);
        state = next;
      }
      beginnings.add(stem, whole !== undefined);
      const mark = position + 1 + (anchor === undefined ? 0 : ANCHOR);
      marks.push([state, whole === undefined ? mark : -mark]);
    }
  }
  const ends = new Int16Array(edges.stateCount);
  for (const [state, mark] of marks) if (state !== 0) ends[state] = firstMark(ends[state] ?? 0, mark);
  const nodes = Array.from(ends, (end, state) => ({ children: children[state] ?? new Map<number, number>(), end }));
  return { edges, trie: new StemTrie(nodes), ends, beginnings };
}

/** A stem that stands under two ideas belongs to the first; it is an anchor when it is one under either. */
function firstMark(first: number, mark: number): number {
  if (first === 0) return mark;
  const either = Math.abs(first) | (Math.abs(mark) & ANCHOR);
  return first < 0 ? -either : either;
}

function entriesOf(concept: Concept): string[] {
  return lexicon[concept].split(/\s+/u).filter((entry) => entry.length > 0);
}
