import type { Letters } from "../text/letters.ts";

/** Slots per letter: the five letters that end there, and the word and the word pair that end there. */
export const slotsPerLetter = 3;
/** Size of the table of words, pairs and parts of words: hashes of this many bits. */
const bucketBits = 19;
/** Buckets of that table: 524,288. */
export const bucketCount = 1 << bucketBits;

const gramLetters = 5;
const multiplier = 0x0100_0193;
const shift = 32 - bucketBits;
const GRAM = 3;
const WORD = 5;
const PAIR = 6;

/** Longer words are hashed by their length modulo this; they are rare and still mostly tell apart. */
const powersMax = 64;
const powers = new Int32Array(powersMax);
let power = 1;
for (let index = 0; index < powersMax; index += 1) {
  powers[index] = power;
  power = Math.imul(power, multiplier);
}
const gramPower = powers[gramLetters] ?? 0;

/** Running polynomial hash: entry `i` covers the letters before `i`, so any stretch is one subtraction away. */
function runningHashes({ codes, length }: Letters): Int32Array {
  const hashes = new Int32Array(length + 1);
  hashes[0] = 0;
  let hash = 0;
  for (let index = 0; index < length; index += 1) {
    hash = (Math.imul(hash, multiplier) + (codes[index] ?? 0) + 1) | 0;
    hashes[index + 1] = hash;
  }
  return hashes;
}

/** A feature counts once in this many letters: what is repeated, as the cells of a table are, says nothing more. */
const onceInLetters = 384;
const recentBits = 12;
const recentMask = (1 << recentBits) - 1;
/** Bits of a letter's number. The rest of a bucket, its tag, stands above them. */
const numberBits = 32 - (bucketBits - recentBits);
/** Entries of the memory of `countsOnce`, which begins as zeros. */
export const recentLength = 1 << recentBits;
/** Numbers of a memory that counts one text after the other: the last says where the next begins. */
export const countingLength = recentLength + 1;
/** Letters that have a number. */
const countedMax = 2 ** numberBits - onceInLetters;

/**
 * The number of the first letter of a new count. What the memory has of counts before lies further back than a feature is remembered,
 * which spares clearing it: for a short text that costs more than all its letters.
 */
export function beginCount(recent: Int32Array, letters: number): number {
  let first = recent[recentLength] ?? 0;
  if (first + letters >= countedMax) {
    recent.fill(0);
    first = 0;
  }
  recent[recentLength] = first + letters + onceInLetters;
  return first;
}

/**
 * All bits where a bucket counts at letter `index`, none where it has counted within the letters before; remembers that it has
 * counted. One entry serves all buckets that share its place, so that the memory stays in the processor's nearest cache: a displaced
 * one may count again. Without branches, because wrong guesses would cost more than the work.
 */
export function countsOnce(recent: Int32Array, bucket: number, index: number): number {
  const place = bucket & recentMask;
  const entry = recent[place] ?? 0;
  // Letters are counted from so far that an empty entry is never near.
  const current = ((bucket >>> recentBits) << numberBits) + index + onceInLetters;
  // Where the tags differ, so do the highest bits, and the difference is more than any distance.
  const counts = ~((((current - entry) >>> 1) - onceInLetters / 2) >> 31);
  recent[place] = entry ^ ((entry ^ current) & counts);
  return counts;
}

/** Bucket of the five letters ending with letter `index`, which is at least 4. They run over spaces and signs. */
function gramBucket(hashes: Int32Array, index: number): number {
  const hash = (hashes[index + 1] ?? 0) - Math.imul(hashes[index + 1 - gramLetters] ?? 0, gramPower);
  return bucketOf(hash, GRAM);
}

/** Memory of one scan. */
export interface ScanMemory {
  readonly hashes: Int32Array;
  readonly added: Int32Array;
  /** Numbers for `beginCount`. */
  readonly recent: Int32Array;
}

/**
 * Running hashes as above; puts the weight of the five letters that end with letter `i` into entry `i + 1` of `added`. Two loops: a
 * short one over the weights, which lie too far apart for the processor's near caches, lets it wait for many of them at once.
 */
export function addGrams(letters: Letters, weights: Int8Array, { hashes, added, recent }: ScanMemory): void {
  const { codes, length } = letters;
  hashes[0] = 0;
  added[0] = 0;
  const first = beginCount(recent, length);
  let hash = 0;
  const head = Math.min(firstGram, length);
  for (let index = 0; index < head; index += 1) {
    hash = (Math.imul(hash, multiplier) + (codes[index] ?? 0) + 1) | 0;
    hashes[index + 1] = hash;
    added[index + 1] = 0;
  }
  for (let index = firstGram; index < length; index += 1) {
    hash = (Math.imul(hash, multiplier) + (codes[index] ?? 0) + 1) | 0;
    hashes[index + 1] = hash;
    const before = Math.imul(hashes[index + 1 - gramLetters] ?? 0, gramPower);
    added[index + 1] = bucketOf(hash - before, GRAM);
  }
  for (let index = firstGram; index < length; index += 1) {
    const bucket = added[index + 1] ?? 0;
    added[index + 1] = (weights[bucket] ?? 0) & countsOnce(recent, bucket, first + index);
  }
}

/** First letter index that ends five letters. */
const firstGram = gramLetters - 1;

/** Hash of the word `[start, end)`. */
export function wordHash(hashes: Int32Array, start: number, end: number): number {
  return ((hashes[end] ?? 0) - Math.imul(hashes[start] ?? 0, powers[(end - start) % powersMax] ?? 0)) | 0;
}

/** Bucket of one word, by its hash. */
export function wordBucket(word: number): number {
  return bucketOf(word, WORD);
}

/** Bucket of two words that follow one another. */
export function pairBucket(previous: number, word: number): number {
  return bucketOf((Math.imul(previous, 31) + word) | 0, PAIR);
}

/** The bucket of a hash. Never 0, which is the empty slot. */
function bucketOf(hash: number, kind: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15) ^ kind, 0x2c1b_3c6d);
  return mixed >>> shift || 1;
}

/** Hashed features of a text for the trainer: `slotsPerLetter` numbers per letter, 0 where a slot is empty. Linear. */
export function featureBuckets(letters: Letters): Uint32Array {
  const { length, wordStarts, wordCount } = letters;
  const hashes = runningHashes(letters);
  const buckets = new Uint32Array(length * slotsPerLetter);
  const recent = new Int32Array(recentLength);
  const once = (bucket: number, index: number): number => bucket & countsOnce(recent, bucket, index);
  for (let index = firstGram; index < length; index += 1)
    buckets[index * slotsPerLetter] = once(gramBucket(hashes, index), index);
  recent.fill(0);
  let previous = 0;
  for (let number = 0; number < wordCount; number += 1) {
    const end = number + 1 < wordCount ? (wordStarts[number + 1] ?? 0) : length;
    const word = wordHash(hashes, wordStarts[number] ?? 0, end);
    const at = (end - 1) * slotsPerLetter;
    buckets[at + 1] = once(wordBucket(word), end - 1);
    if (number > 0) buckets[at + 2] = once(pairBucket(previous, word), end - 1);
    previous = word;
  }
  return buckets;
}
