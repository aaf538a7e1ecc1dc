import { addGrams, lowByte, pairBucket, wordBucket, wordHash } from "./features.ts";
import type { Scratch } from "../text/scratch.ts";
import type { Letters } from "../text/letters.ts";
import { type ConceptHit, findStemsInside, joinedWordLength, longestStemAt, toHit } from "./stems.ts";

/** What the letters of a text add to both scores, and the ideas in it. */
export interface LetterScan {
  /** Raw window weights: entry `i + 1` is what letter `i` adds, and entry 0 is 0. */
  readonly added: Int32Array;
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
  const hashes = scratch?.numbersOf("hashes", length + 1) ?? new Int32Array(length + 1);
  const added = scratch?.numbersOf("added", length + 1) ?? new Int32Array(length + 1);
  const grams = addGrams(letters, packed, { hashes, added });
  const hits: ConceptHit[] = [];
  const whole = addWords(letters, { hashes, packed, added, hits }) + grams;
  return { added, whole, hits, length };
}

interface WordScan {
  readonly hashes: Int32Array;
  readonly packed: Int16Array;
  readonly added: Int32Array;
  readonly hits: ConceptHit[];
}

/** Adds the weights of each word and word pair to its last letter; returns their whole-text weights. */
function addWords(letters: Letters, { hashes, packed, added, hits }: WordScan): number {
  const { wordStarts, wordCount, length } = letters;
  let whole = 0;
  let previous = 0;
  let start = 0;
  for (let number = 0; number < wordCount; number += 1) {
    const end = number + 1 < wordCount ? (wordStarts[number + 1] ?? 0) : length;
    const word = wordHash(hashes, start, end);
    const single = packed[wordBucket(word)] ?? 0;
    const pair = number === 0 ? 0 : (packed[pairBucket(previous, word)] ?? 0);
    added[end] = (added[end] ?? 0) + lowByte(single) + lowByte(pair);
    whole += (single >> 8) + (pair >> 8);
    previous = word;
    const stem = longestStemAt(letters, start);
    if (stem !== 0) hits.push(toHit(stem, start));
    if (end - start > joinedWordLength) findStemsInside(letters, { start, end }, hits);
    start = end;
  }
  return whole;
}
