import { isSmallLatin } from "./char-class.ts";
import { englishCount, frequentWords } from "./frequent-words.ts";
import { soundOf } from "./word-sounds.ts";

/** Letters of the longest word that is repaired, and signs that stand for some. */
export const repairedLettersMax = 20;
/** Letters of the shortest word that another is read as: shorter ones resemble too many. */
const repairedLettersMin = 4;
/** Letters of the shortest one that has a sign for a letter. */
const filledLettersMin = 3;

/** Kinds of keys by which a word is found: its letters, these without one, sorted inside, without vowels, by sound. */
const EXACT = 0;
const DROPPED = 0x68bc_21eb;
const SORTED = 0x02e5_be93;
const SKELETON = 0x3c6e_f372;
const SOUND = 0x7f4a_7c15;

const letterFirst = 0x61;
const multiplier = 0x0100_0193;
const tableBits = 18;
const tableMask = (1 << tableBits) - 1;
/** Few enough that the places stay in the processor's near memory. */
const exactBits = 15;
const exactMask = (1 << exactBits) - 1;

const filterBits = 20;

const vowels = new Uint8Array(0x80);
for (const vowel of "aeiou") vowels[vowel.charCodeAt(0)] = 1;

/** Whether a letter is one of those that spelling without vowels leaves out. */
function isVowel(code: number): boolean {
  return vowels[code] === 1;
}

/** Whether one of the units `[start, end)` is such a letter. */
export function hasVowel(codes: ArrayLike<number>, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) if (isVowel(codes[index] ?? 0)) return true;
  return false;
}

/** Numbers by letter that add up to the same whatever their order. */
const sortedParts = Int32Array.from({ length: 26 }, (_, letter) => mix(Math.imul(letter + 1, 0x9e37_79b1)));
const powers = new Int32Array(repairedLettersMax + 1);
for (let index = 0, power = 1; index < powers.length; index += 1, power = Math.imul(power, multiplier))
  powers[index] = power;

/** A word of the list that a misspelt one may stand for, and how much that it does says for a disguise. */
export interface Repair {
  readonly word: Uint8Array;
  readonly gain: number;
}

/** Most evidence that one word gives. */
export const gainMax = 8;

/**
 * The common words by their letters and by what is left of them in the usual disguises of words: inner letters in another order, one
 * letter more, fewer or another, signs for letters, no vowels, spelling by sound, pig latin. A text is given as codes of lower-case
 * Latin letters.
 */
export class KnownWords {
  readonly #words: readonly Uint8Array[];
  /** Open addressing: keys beside the word's number and one more, 0 where a place is free. Commoner words come first. */
  readonly #keys = new Int32Array(tableMask + 1);
  readonly #numbers = new Uint16Array(tableMask + 1);
  /** A bit for each key, by its hash: most keys that are looked for are of no word, and these bits stay in the processor's near memory. */
  readonly #filter = new Uint32Array(1 << (filterBits - 5));
  /** Hashes of the words alone, which are looked up oftenest. */
  readonly #exact = new Int32Array(exactMask + 1);
  /** Hashes of the first letters of the word that is looked at. */
  readonly #hashes = new Int32Array(repairedLettersMax + 1);
  readonly #sound = new Uint8Array(repairedLettersMax);

  constructor() {
    this.#words = frequentWords.map((word) => Uint8Array.from(word, (letter) => letter.charCodeAt(0)));
    for (const [number, word] of this.#words.entries()) this.#add(word, number + 1);
  }

  /** Whether the letters are a common word, or one with a usual ending. */
  isKnown(codes: ArrayLike<number>, start: number, end: number): boolean {
    const length = end - start;
    if (length > repairedLettersMax) return false;
    if (this.#has(this.#hashLetters(codes, start, length))) return true;
    const ending = endingLength(codes, start, end);
    return ending > 0 && this.#has(this.#hashes[length - ending] ?? 0);
  }

  /** Whether a word is known in English, 1, in another language, -1, or in none, 0. */
  languageSide(codes: ArrayLike<number>, start: number, end: number): number {
    let hash = 0;
    for (let index = start; index < Math.min(end, start + repairedLettersMax); index += 1)
      hash = hashMore(hash, codes[index] ?? 0);
    const number = this.#find(hash ^ EXACT);
    return number === 0 ? 0 : number <= englishCount ? 1 : -1;
  }

  #has(hash: number): boolean {
    const exact = this.#exact;
    for (let place = placeOf(hash) & exactMask; ; place = (place + 1) & exactMask) {
      const other = exact[place] ?? 0;
      if (other === hash || other === 0) return other !== 0;
    }
  }

  /** The common word that the letters of two or more ranges together are, or undefined. */
  joined(codes: ArrayLike<number>, ranges: readonly number[]): Uint8Array | undefined {
    let hash = 0;
    let length = 0;
    for (let at = 0; at < ranges.length; at += 2) {
      for (let index = ranges[at] ?? 0; index < (ranges[at + 1] ?? 0); index += 1) {
        hash = hashMore(hash, codes[index] ?? 0);
        length += 1;
      }
    }
    return length >= repairedLettersMin && length <= repairedLettersMax ? this.#word(hash ^ EXACT) : undefined;
  }

  /** The commonest word that fits letters between which other units stand for one letter each. */
  fill(codes: ArrayLike<number>, start: number, end: number): Repair | undefined {
    const length = end - start;
    if (length < filledLettersMin || length > repairedLettersMax) return undefined;
    let [hash, skeleton, signs] = [0, 0, 0];
    for (let index = start; index < end; index += 1) {
      const code = codes[index] ?? 0;
      if (!isSmallLatin(code)) {
        signs += 1;
        continue;
      }
      hash = hashMore(hash, code);
      if (index === start || !isVowel(code)) skeleton = hashMore(skeleton, code);
    }
    const range = { codes, start, end };
    const word =
      (signs === 1 ? this.#fitting(hash ^ DROPPED, range) : undefined) ?? this.#fitting(skeleton ^ SKELETON, range);
    return word === undefined ? undefined : { word, gain: Math.min(gainMax, length - Math.min(signs, 2)) };
  }

  /** The word that an unknown one most likely stands for. */
  repair(codes: ArrayLike<number>, start: number, end: number): Repair | undefined {
    const length = end - start;
    if (length > repairedLettersMax || length < 2) return undefined;
    const hash = this.#hashLetters(codes, start, length);
    const ordered = length < repairedLettersMin ? undefined : this.#word(sortedHash(codes, start, end) ^ SORTED);
    if (ordered !== undefined) return gaining(ordered, -1);
    if (!hasVowel(codes, start + 1, end)) {
      const skeleton = this.#word(hash ^ SKELETON);
      if (skeleton !== undefined)
        return { word: skeleton, gain: Math.min(gainMax, length < repairedLettersMin ? length - 2 : length - 1) };
    }
    return (
      this.#oneLetterMore(codes, start, length) ??
      this.#bySound(codes, start, length) ??
      this.#pigLatin(codes, start, length) ??
      this.#otherLetter(codes, start, length)
    );
  }

  /** A word that has a letter more or a letter less. Its first letter is the same. */
  #oneLetterMore(codes: ArrayLike<number>, start: number, length: number): Repair | undefined {
    const hash = this.#hashes[length] ?? 0;
    const longer = this.#word(hash ^ DROPPED);
    if (longer !== undefined && length >= 3) return gaining(longer, -3);
    for (let index = 1; index < length - 1; index += 1) {
      const isDoubled =
        codes[start + index] === codes[start + index + 1] || codes[start + index] === codes[start + index - 1];
      if (length < repairedLettersMin || (length === repairedLettersMin && !isDoubled)) continue;
      const hash = this.#without(index, length);
      const shorter = this.#has(hash) ? this.#word(hash ^ EXACT) : undefined;
      if (shorter !== undefined) return gaining(shorter, isDoubled ? -1 : -2);
    }
    return undefined;
  }

  /** A word with another letter at one place, or two neighbours the other way round. */
  #otherLetter(codes: ArrayLike<number>, start: number, length: number): Repair | undefined {
    if (length <= repairedLettersMin + 1) return undefined;
    for (let index = 1; index < length - 1; index += 1) {
      const key = this.#without(index, length) ^ DROPPED;
      if (!this.#mayHave(key)) continue;
      for (let place = placeOf(key); this.#numbers[place] !== 0; place = (place + 1) & tableMask) {
        if (this.#keys[place] !== key) continue;
        const word = this.#words[(this.#numbers[place] ?? 0) - 1];
        if (word !== undefined && word.length === length && differences(word, codes, start) === 1)
          return gaining(word, -5);
      }
    }
    return undefined;
  }

  #bySound(codes: ArrayLike<number>, start: number, length: number): Repair | undefined {
    if (length < repairedLettersMin) return undefined;
    const word = this.#word(this.#soundHash(codes, start, length) ^ SOUND);
    return word === undefined || word.length < repairedLettersMin ? undefined : gaining(word, -3);
  }

  /** "ignoreway" and "ompprtay": the first letters at the end, with "ay" behind them. */
  #pigLatin(codes: ArrayLike<number>, start: number, length: number): Repair | undefined {
    if (length < repairedLettersMin + 2 || codes[start + length - 1] !== 0x79 || codes[start + length - 2] !== 0x61)
      return undefined;
    const stem = length - 2;
    const hashes = this.#hashes;
    for (let moved = 1; moved <= 3; moved += 1) {
      const kept = stem - moved;
      const tail = (hashes[stem] ?? 0) - Math.imul(hashes[kept] ?? 0, powers[moved] ?? 0);
      const turned = (Math.imul(tail, powers[kept] ?? 0) + (hashes[kept] ?? 0)) | 0;
      const word = this.#word(turned ^ EXACT) ?? (moved === 1 ? this.#word((hashes[kept] ?? 0) ^ EXACT) : undefined);
      if (word !== undefined && word.length >= repairedLettersMin) return gaining(word, -1);
    }
    return undefined;
  }

  /** Hash of letters, and of all that begin them, which later looks at the same word need. */
  #hashLetters(codes: ArrayLike<number>, start: number, length: number): number {
    const hashes = this.#hashes;
    let hash = 0;
    for (let index = 0; index < length; index += 1) {
      hash = hashMore(hash, codes[start + index] ?? 0);
      hashes[index + 1] = hash;
    }
    return hash;
  }

  /** Hash of the letters that are looked at without one. */
  #without(index: number, length: number): number {
    const hashes = this.#hashes;
    const behind = powers[length - index - 1] ?? 0;
    const tail = (hashes[length] ?? 0) - Math.imul(hashes[index + 1] ?? 0, behind);
    return (Math.imul(hashes[index] ?? 0, behind) + tail) | 0;
  }

  /** Hash of how a word sounds: letters of one sound are the same, doubled letters single, and the last "e" silent. */
  #soundHash(codes: ArrayLike<number>, start: number, length: number): number {
    const sound = this.#sound;
    let count = 0;
    for (let index = 0; index < length; index += 1) {
      const next = index + 1 < length ? (codes[start + index + 1] ?? 0) : 0;
      const heard = soundOf(codes[start + index] ?? 0, next);
      if (index > 0 && (heard === 0 || sound[count - 1] === heard)) continue;
      sound[count] = heard === 0 ? (codes[start] ?? 0) : heard;
      count += 1;
    }
    let hash = 0;
    for (let index = 0; index < count; index += 1) hash = hashMore(hash, sound[index] ?? 0);
    return hash;
  }

  #word(key: number): Uint8Array | undefined {
    const number = this.#find(key);
    return number === 0 ? undefined : this.#words[number - 1];
  }

  #mayHave(key: number): boolean {
    const bit = filterBit(key);
    return ((this.#filter[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
  }

  /** Number of the commonest word with a key, and one more; 0 where there is none. */
  #find(key: number): number {
    if (!this.#mayHave(key)) return 0;
    for (let place = placeOf(key); ; place = (place + 1) & tableMask) {
      const number = this.#numbers[place] ?? 0;
      if (number === 0 || this.#keys[place] === key) return number;
    }
  }

  #fitting(
    key: number,
    { codes, start, end }: { codes: ArrayLike<number>; start: number; end: number },
  ): Uint8Array | undefined {
    for (let place = placeOf(key); this.#numbers[place] !== 0; place = (place + 1) & tableMask) {
      if (this.#keys[place] !== key) continue;
      const word = this.#words[(this.#numbers[place] ?? 0) - 1];
      if (word?.length !== end - start) continue;
      let fits = true;
      for (let index = 0; index < word.length && fits; index += 1) {
        const code = codes[start + index] ?? 0;
        fits = !isSmallLatin(code) || code === word[index];
      }
      if (fits) return word;
    }
    return undefined;
  }

  #add(word: Uint8Array, number: number): void {
    const { length } = word;
    const hash = this.#hashLetters(word, 0, length);
    this.#put(hash ^ EXACT, number);
    let place = placeOf(hash) & exactMask;
    while (this.#exact[place] !== 0) place = (place + 1) & exactMask;
    this.#exact[place] = hash;
    if (length < filledLettersMin) return;
    for (let index = 1; index < length - 1; index += 1)
      if (word[index] !== word[index - 1]) this.#put(this.#without(index, length) ^ DROPPED, number);
    if (length < repairedLettersMin) return;
    this.#put(sortedHash(word, 0, length) ^ SORTED, number);
    this.#put(skeletonHash(word) ^ SKELETON, number);
    this.#put(this.#soundHash(word, 0, length) ^ SOUND, number);
  }

  #put(key: number, number: number): void {
    let place = placeOf(key);
    while (this.#numbers[place] !== 0) place = (place + 1) & tableMask;
    const bit = filterBit(key);
    this.#filter[bit >>> 5] = (this.#filter[bit >>> 5] ?? 0) | (1 << (bit & 31));
    this.#keys[place] = key;
    this.#numbers[place] = number;
  }
}

/** Evidence of a word of so many letters, less what is needed to say anything. */
function gaining(word: Uint8Array, less: number): Repair {
  return { word, gain: Math.min(gainMax, word.length + less) };
}

function hashMore(hash: number, code: number): number {
  return (Math.imul(hash, multiplier) + code) | 0;
}

/** Hash of a word without its vowels but for the first letter. */
function skeletonHash(word: Uint8Array): number {
  let hash = 0;
  for (const [index, code] of word.entries()) if (index === 0 || !isVowel(code)) hash = hashMore(hash, code);
  return hash;
}

/** Hash of a word whose inner letters may stand in any order. */
function sortedHash(codes: ArrayLike<number>, start: number, end: number): number {
  let sum = 0;
  for (let index = start + 1; index < end - 1; index += 1)
    sum = (sum + (sortedParts[(codes[index] ?? 0) - letterFirst] ?? 0)) | 0;
  return hashMore(hashMore(sum, codes[start] ?? 0), codes[end - 1] ?? 0);
}

function mix(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d) ^ (hash >>> 13);
}

function filterBit(key: number): number {
  return Math.imul(key, 0x9e37_79b1) >>> (32 - filterBits);
}

function placeOf(key: number): number {
  const mixed = mix(key);
  return (mixed ^ (mixed >>> 16)) & tableMask;
}

/** Letters of the ending that a word may have beside one of the list. */
function endingLength(codes: ArrayLike<number>, start: number, end: number): number {
  const [third, second, last] = [codes[end - 3], codes[end - 2], codes[end - 1]];
  if (end - start < 5) return end - start === 4 && last === 0x73 ? 1 : 0;
  if (last === 0x73) return 1;
  if (last === 0x64 && second === 0x65) return 2;
  if (last === 0x79 && second === 0x6c) return 2;
  return last === 0x67 && second === 0x6e && third === 0x69 ? 3 : 0;
}

/** Places at which a word differs from letters as many. */
function differences(word: Uint8Array, codes: ArrayLike<number>, start: number): number {
  let count = 0;
  for (let index = 0; index < word.length; index += 1) if (word[index] !== codes[start + index]) count += 1;
  return count;
}
