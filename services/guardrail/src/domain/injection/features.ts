import { type Letters, WORD_END, WORD_START } from "./letters.ts";

/** Slots per letter: the n-grams of 4, 5 and 6 letters that end there, and the word and word pair that end there. */
export const slotsPerLetter = 5;
export const bucketBits = 18;
export const bucketCount = 1 << bucketBits;

const step = 0x0100_0193;
const shift = 32 - bucketBits;

/**
 * Hashed features of a text: `slotsPerLetter` bucket numbers per letter, 0 where a slot is empty.
 * n-grams run over letters alone, whatever stands between them. Deterministic; linear.
 */
export function featureBuckets(letters: Letters): Uint32Array {
  const buckets = new Uint32Array(letters.length * slotsPerLetter);
  let one = 0;
  let two = 0;
  let three = 0;
  let four = 0;
  let five = 0;
  let word = 0;
  let previousWord = 0;
  for (let index = 0; index < letters.length; index += 1) {
    const code = (letters.codes[index] ?? 0) + 1;
    const edges = letters.edges[index] ?? 0;
    const six = Math.imul(five + code, step);
    five = Math.imul(four + code, step);
    four = Math.imul(three + code, step);
    three = Math.imul(two + code, step);
    two = Math.imul(one + code, step);
    one = Math.imul(code, 0x9e37_79b1);
    const at = index * slotsPerLetter;
    if (index > 2) buckets[at] = bucketOf(four, 2);
    if (index > 3) buckets[at + 1] = bucketOf(five, 3);
    if (index > 4) buckets[at + 2] = bucketOf(six, 4);
    word = (edges & WORD_START) === 0 ? Math.imul(word ^ code, step) : Math.imul(0x811c_9dc5 ^ code, step);
    if ((edges & WORD_END) !== 0) {
      buckets[at + 3] = bucketOf(word, 5);
      if (previousWord !== 0) buckets[at + 4] = bucketOf(Math.imul(previousWord, 31) + word, 6);
      previousWord = word;
    }
  }
  return buckets;
}

function bucketOf(hash: number, kind: number): number {
  let mixed = hash ^ Math.imul(kind, 0x7feb_352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b_3c6d);
  return mixed >>> shift || 1;
}
