import { firstGram, gramBucket, pairBucket, runningHashes, wordBucket, wordHash } from "./features.ts";
import type { Scratch } from "../text/scratch.ts";
import type { Letters } from "../text/letters.ts";
import { type ConceptHit, findStemsInside, joinedWordLength, longestStemAt, toHit } from "./stems.ts";

/** What the letters of a text add to both scores, and the ideas in it. */
export interface LetterScan {
  /** Running sums of the raw window weights: entry `i` is the sum over the letters before `i`. */
  readonly running: Int32Array;
  /** Raw sum of the whole-text weights. */
  readonly whole: number;
  readonly hits: readonly ConceptHit[];
  /** Number of letters. */
  readonly length: number;
}

/**
 * Adds up the packed weights of every feature without storing the features: the same ones that `featureBuckets` gives
 * the trainer, which a test holds together. Linear.
 */
export function scanLetters(letters: Letters, packed: Int16Array, scratch?: Scratch): LetterScan {
  const { length } = letters;
  const hashes = runningHashes(letters, scratch);
  const running = (scratch?.numbersOf("running", length + 1) ?? new Int32Array(length + 1)).fill(0, 0, length + 1);
  const hits: ConceptHit[] = [];
  const whole =
    addWords(letters, { hashes, packed, running, hits, length }) + addGrams({ hashes, packed, running, length });
  return { running, whole, hits, length };
}

interface GramScan {
  readonly hashes: Int32Array;
  readonly packed: Int16Array;
  readonly running: Int32Array;
  readonly length: number;
}

interface WordScan extends GramScan {
  readonly hits: ConceptHit[];
}

/** Puts the weights of each word and word pair after its last letter; returns their whole-text weights. */
function addWords(letters: Letters, { hashes, packed, running, hits }: WordScan): number {
  const { wordStarts, wordCount, length } = letters;
  let whole = 0;
  let previous = 0;
  let start = 0;
  for (let number = 0; number < wordCount; number += 1) {
    const end = number + 1 < wordCount ? (wordStarts[number + 1] ?? 0) : length;
    const word = wordHash(hashes, start, end);
    const single = packed[wordBucket(word)] ?? 0;
    const pair = number === 0 ? 0 : (packed[pairBucket(previous, word)] ?? 0);
    running[end] = lowByte(single) + lowByte(pair);
    whole += (single >> 8) + (pair >> 8);
    previous = word;
    const stem = longestStemAt(letters, start);
    if (stem !== 0) hits.push(toHit(stem, start));
    if (end - start > joinedWordLength) findStemsInside(letters, { start, end }, hits);
    start = end;
  }
  return whole;
}

/** Adds the weight of the five letters that end at each place, and sums up. */
function addGrams({ hashes, packed, running, length }: GramScan): number {
  let whole = 0;
  let sum = 0;
  const head = Math.min(firstGram, length);
  for (let index = 0; index < head; index += 1) {
    sum += running[index + 1] ?? 0;
    running[index + 1] = sum;
  }
  for (let index = firstGram; index < length; index += 1) {
    const weight = packed[gramBucket(hashes, index)] ?? 0;
    whole += weight >> 8;
    sum += lowByte(weight) + (running[index + 1] ?? 0);
    running[index + 1] = sum;
  }
  return whole;
}

/** The window's weight: the low byte, with its sign. */
function lowByte(packed: number): number {
  return (packed << 24) >> 24;
}
