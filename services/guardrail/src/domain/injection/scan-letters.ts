import { charClasses, LETTER, UNSPACED } from "../text/char-class.ts";
import type { Reading } from "../text/reading.ts";
import { type ConceptHit, findStemsInside, longestStemAt } from "./stems.ts";
import { bucketOf, HASH_FIRST, HASH_SEED, HASH_STEP } from "./features.ts";

/** One pass over a folded reading: what its letters add to both scores, and the ideas in it. */
export interface LetterScan {
  /** Running sums of the raw window weights: entry `i` is the sum over the letters before `i`. Longer than needed. */
  readonly running: Int32Array;
  /** Raw sum of the whole-text weights. */
  readonly whole: number;
  readonly letters: number;
  readonly hits: readonly ConceptHit[];
}

/**
 * Adds up the packed weights of every feature without storing the features. The same features in the same order as
 * `featureBuckets` gives the trainer; a test holds the two together. Linear.
 */
export function scanLetters(folded: Reading, packed: Int16Array): LetterScan {
  const classes = charClasses();
  const { codes, length } = folded;
  const running = new Int32Array(length + 1);
  const hits: ConceptHit[] = [];
  let count = 0;
  let raw = 0;
  let whole = 0;
  let one = 0;
  let two = 0;
  let three = 0;
  let four = 0;
  let five = 0;
  let word = 0;
  let previousWord = 0;
  let wordStart = -1;
  for (let index = 0; index <= length; index += 1) {
    const code = index < length ? (codes[index] ?? 0) : 0x20;
    const flags = classes[code] ?? 0;
    const isUnspaced = (flags & UNSPACED) !== 0;
    const isLetter = (flags & LETTER) !== 0;
    if (wordStart >= 0 && (!isLetter || isUnspaced || (classes[codes[index - 1] ?? 0] ?? 0) & UNSPACED)) {
      const single = packed[bucketOf(word, 5)] ?? 0;
      raw += (single << 24) >> 24;
      whole += single >> 8;
      if (previousWord !== 0) {
        const pair = packed[bucketOf(Math.imul(previousWord, 31) + word, 6)] ?? 0;
        raw += (pair << 24) >> 24;
        whole += pair >> 8;
      }
      running[count] = raw;
      previousWord = word;
      findStemsInside(folded, { start: wordStart, end: index, letter: count - (index - wordStart) }, hits);
      wordStart = -1;
    }
    if (!isLetter) continue;
    if (wordStart < 0) {
      wordStart = index;
      word = Math.imul(HASH_SEED ^ (code + 1), HASH_STEP);
      longestStemAt(folded, { index, letter: count }, hits);
    } else word = Math.imul(word ^ (code + 1), HASH_STEP);
    const six = Math.imul(five + code + 1, HASH_STEP);
    five = Math.imul(four + code + 1, HASH_STEP);
    four = Math.imul(three + code + 1, HASH_STEP);
    three = Math.imul(two + code + 1, HASH_STEP);
    two = Math.imul(one + code + 1, HASH_STEP);
    one = Math.imul(code + 1, HASH_FIRST);
    if (count > 4) {
      const first = packed[bucketOf(four, 2)] ?? 0;
      const second = packed[bucketOf(five, 3)] ?? 0;
      const third = packed[bucketOf(six, 4)] ?? 0;
      raw += ((first << 24) >> 24) + ((second << 24) >> 24) + ((third << 24) >> 24);
      whole += (first >> 8) + (second >> 8) + (third >> 8);
    } else if (count > 2) {
      const first = packed[bucketOf(four, 2)] ?? 0;
      const second = count > 3 ? (packed[bucketOf(five, 3)] ?? 0) : 0;
      raw += ((first << 24) >> 24) + ((second << 24) >> 24);
      whole += (first >> 8) + (second >> 8);
    }
    count += 1;
    running[count] = raw;
  }
  return { running, whole, letters: count, hits };
}
