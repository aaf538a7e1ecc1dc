import type { Letters } from "../text/letters.ts";
import type { ScratchBuffers } from "../text/scratch-buffers.ts";
import {
  addGrams,
  beginCount,
  countingLength,
  countsOnce,
  pairBucket,
  type ScanMemory,
  wordBucket,
  wordHash,
} from "./features.ts";
import { findStems, type Hits } from "./stems.ts";

/** The letters' part of a text's score, and the ideas in it. */
export interface LetterScan {
  /** Raw window weights: entry `i + 1` is what letter `i` adds, and entry 0 is 0. */
  readonly added: Int32Array;
  readonly hits: Hits;
  /** Number of letters. */
  readonly length: number;
}

/**
 * Adds up the weights of every feature without storing the features: the same ones that `featureBuckets` gives
 * the trainer, which a test holds together. Linear.
 */
export function scanLetters(letters: Letters, weights: Int8Array, scratch?: ScratchBuffers): LetterScan {
  const { length } = letters;
  const hashes = scratch?.numbersOf("hashes", length + 1) ?? new Int32Array(length + 1);
  const added = scratch?.numbersOf("added", length + 1) ?? new Int32Array(length + 1);
  const recent = scratch?.numbersOf("recent", countingLength) ?? new Int32Array(countingLength);
  addGrams(letters, weights, { hashes, added, recent });
  const hits: Hits = {
    ats: scratch?.numbersOf("hitPlaces", length) ?? new Int32Array(length),
    stems: scratch?.numbersOf("hitStems", length) ?? new Int32Array(length),
    count: 0,
  };
  addWords(letters, hashes, { weights, added, recent });
  const words = letters.wordCount + 1;
  findStems(letters, scratch?.numbersOf("stemWords", words) ?? new Int32Array(words), hits);
  return { added, hits, length };
}

interface WordScan extends Omit<ScanMemory, "hashes"> {
  readonly weights: Int8Array;
}

/** Adds the weights of each word and word pair to its last letter. */
function addWords(letters: Letters, hashes: Int32Array, { weights, added, recent }: WordScan): void {
  const { wordStarts, wordCount, length } = letters;
  const first = beginCount(recent, length);
  let previous = 0;
  let start = 0;
  for (let number = 0; number < wordCount; number += 1) {
    const end = number + 1 < wordCount ? (wordStarts[number + 1] ?? 0) : length;
    const word = wordHash(hashes, start, end);
    const single = weightOnce(weights, recent, { bucket: wordBucket(word), index: first + end - 1 });
    const pair =
      number === 0 ? 0 : weightOnce(weights, recent, { bucket: pairBucket(previous, word), index: first + end - 1 });
    added[end] = (added[end] ?? 0) + single + pair;
    previous = word;
    start = end;
  }
}

function weightOnce(weights: Int8Array, recent: Int32Array, at: { bucket: number; index: number }): number {
  return (weights[at.bucket] ?? 0) & countsOnce(recent, at.bucket, at.index);
}
