import { charClasses, LETTER, UNSPACED } from "../text/char-class.ts";
import type { Reading } from "../text/reading.ts";
import {
  type ConceptHit,
  conceptOf,
  findStemsInside,
  joinedWordLength,
  lettersOfStem,
  longestStemAt,
} from "./stems.ts";
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
  let word = 0;
  let previousWord = 0;
  let wordStart = -1;
  let flags = 0;
  for (let index = 0; index <= length; index += 1) {
    const code = index < length ? (codes[index] ?? 0) : 0x20;
    const flagsBefore = flags;
    flags = classes[code] ?? 0;
    const isLetter = (flags & LETTER) !== 0;
    if (wordStart >= 0 && (!isLetter || ((flags | flagsBefore) & UNSPACED) !== 0)) {
      const single = packed[bucketOf(word, 5)] ?? 0;
      const pair = previousWord === 0 ? 0 : (packed[bucketOf(Math.imul(previousWord, 31) + word, 6)] ?? 0);
      raw += ((single << 24) >> 24) + ((pair << 24) >> 24);
      whole += (single >> 8) + (pair >> 8);
      running[count] = raw;
      previousWord = word;
      if (index - wordStart > joinedWordLength)
        findStemsInside(folded, { start: wordStart, end: index, letter: count - (index - wordStart) }, hits);
      wordStart = -1;
    }
    if (!isLetter) continue;
    if (wordStart < 0) {
      wordStart = index;
      word = HASH_SEED;
      const stem = longestStemAt(folded, index);
      if (stem !== 0) hits.push({ concept: conceptOf(stem), at: count, end: count + lettersOfStem(stem), index });
    }
    word = Math.imul(word ^ (code + 1), HASH_STEP);
    const five = Math.imul(four + code + 1, HASH_STEP);
    four = Math.imul(three + code + 1, HASH_STEP);
    three = Math.imul(two + code + 1, HASH_STEP);
    two = Math.imul(one + code + 1, HASH_STEP);
    one = Math.imul(code + 1, HASH_FIRST);
    if (count > 3) {
      const weight = packed[bucketOf(five, 3)] ?? 0;
      raw += (weight << 24) >> 24;
      whole += weight >> 8;
    }
    count += 1;
    running[count] = raw;
  }
  return { running, whole, letters: count, hits };
}
