import { type Letters, WORD_END, WORD_START } from "./letters.ts";

/** Slots per letter: the five letters that end there, and the word and the word pair that end there. */
export const slotsPerLetter = 3;
export const bucketBits = 17;
export const bucketCount = 1 << bucketBits;

export const HASH_STEP = 0x0100_0193;
export const HASH_FIRST = 0x9e37_79b1;
export const HASH_SEED = 0x811c_9dc5;
const shift = 32 - bucketBits;

/**
 * Hashed features of a text for the trainer: `slotsPerLetter` numbers per letter, 0 where a slot is empty. The five
 * letters run over whatever stands between letters, so joined and spaced-out words look the same. Linear.
 */
export function featureBuckets(letters: Letters): Uint32Array {
  const { codes, edges, length } = letters;
  const buckets = new Uint32Array(length * slotsPerLetter);
  let [one, two, three, four, word, previousWord] = [0, 0, 0, 0, 0, 0];
  for (let index = 0; index < length; index += 1) {
    const code = (codes[index] ?? 0) + 1;
    const edge = edges[index] ?? 0;
    const five = Math.imul(four + code, HASH_STEP);
    four = Math.imul(three + code, HASH_STEP);
    three = Math.imul(two + code, HASH_STEP);
    two = Math.imul(one + code, HASH_STEP);
    one = Math.imul(code, HASH_FIRST);
    const at = index * slotsPerLetter;
    if (index > 3) buckets[at] = bucketOf(five, 3);
    word = Math.imul(((edge & WORD_START) === 0 ? word : HASH_SEED) ^ code, HASH_STEP);
    if ((edge & WORD_END) === 0) continue;
    buckets[at + 1] = bucketOf(word, 5);
    if (previousWord !== 0) buckets[at + 2] = bucketOf(Math.imul(previousWord, 31) + word, 6);
    previousWord = word;
  }
  return buckets;
}

/** The bucket of a hash; features of different kinds never share one on purpose. Never 0, which is the empty slot. */
export function bucketOf(hash: number, kind: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15) ^ kind, 0x2c1b_3c6d);
  return mixed >>> shift || 1;
}
