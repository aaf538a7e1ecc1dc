import { charClasses, LETTER, WORD } from "./char-class.ts";
import { foldLeetWord, isSoftSign, leetLetters } from "./leet.ts";
import type { Reading } from "./reading.ts";
import {
  alphabetSide,
  type LetterStatistics,
  letterStatisticsLength,
  unscramble,
  unusualLetters,
  unusualPerLetter,
} from "./scrambled.ts";
import type { Scratch } from "./scratch.ts";
import { joinSpacedLetters } from "./spaced-letters.ts";

/** What a folded unit is, as bits: part of a word; a digit or sign that stands for a letter; a letter; punctuation that may. */
const IN_WORD = 1;
const SIGN = 2;
const PLAIN = 4;
const SOFT = 8;

/** Letters in a row of which the pairs are judged together. */
const stretchLength = 64;
const kindBits = 15;

let forms: Int32Array | undefined;
const noStatistics: LetterStatistics = new Int8Array(letterStatisticsLength);

/**
 * The reading that words are looked up in: lower case, no accents, underscores as spaces, digits read as the letters
 * they are drawn like inside words, spaced-out letters joined and, given letter statistics, rot13 and reversed passages
 * read the right way. Linear in the length.
 */
export function fold(canonical: Reading, statistics?: LetterStatistics, scratch?: Scratch): Reading {
  forms ??= buildForms();
  const { length } = canonical;
  const codes = scratch?.unitsOf("folded", length) ?? new Uint16Array(length);
  const notice = foldUnits(canonical, codes, { forms, statistics: statistics ?? noStatistics });
  if (notice.isMixed) foldLeetWords(codes, length, forms);
  const lower: Reading = { codes, length, starts: canonical.starts, ends: canonical.ends };
  const joined = notice.isSpaced ? joinSpacedLetters(lower) : lower;
  if (statistics === undefined || (joined === lower && !notice.isUnusual)) return joined;
  return unscramble(joined, statistics);
}

interface Tables {
  readonly forms: Int32Array;
  readonly statistics: LetterStatistics;
}

/** What the one pass over a text noticed. */
interface Notice {
  /** Single letters stand in a row: "a b c". */
  readonly isSpaced: boolean;
  /** A stretch has letters in an order that prose does not have. */
  readonly isUnusual: boolean;
  /** A digit or sign stands beside a letter, as in digit spelling. */
  readonly isMixed: boolean;
}

/**
 * Lower-cases the text and notices what needs a closer look, which is rare. Without branches inside a stretch: where words
 * end is unpredictable, and wrong guesses would cost more than the work.
 */
function foldUnits(canonical: Reading, codes: Uint16Array, { forms, statistics }: Tables): Notice {
  const { codes: from, length } = canonical;
  let isUnusual = false;
  let mixed = 0;
  let spaced = 0;
  let history = 0;
  let before = 0;
  let twoBefore = 0;
  let letter = 0;
  let context = 0;
  for (let stretch = 0; stretch < length; stretch += stretchLength) {
    const end = Math.min(length, stretch + stretchLength);
    let score = 0;
    let scored = 0;
    for (let index = stretch; index < end; index += 1) {
      const form = forms[from[index] ?? 0] ?? 0;
      codes[index] = form & 0xffff;
      const kind = (form >> 16) & kindBits;
      // A sign beside a letter, or punctuation between two.
      mixed |= ((kind & (before << 1)) | ((kind << 1) & before) | (kind & (before >> 1) & twoBefore)) & PLAIN;
      twoBefore = before;
      before = kind;
      history = (history << 1) | (kind & IN_WORD);
      spaced |= (history & 127) === 42 ? 1 : 0;
      const next = form >> 24;
      score += statistics[context * alphabetSide + next] ?? 0;
      scored += (letter | next) === 0 ? 0 : 1;
      context = letter * alphabetSide + next;
      letter = next;
    }
    isUnusual ||= scored >= unusualLetters && score < unusualPerLetter * scored;
  }
  spaced |= (history & 63) === 21 ? 1 : 0;
  return { isSpaced: spaced !== 0, isUnusual, isMixed: mixed !== 0 };
}

/** Reads digits and signs as letters, in the words that have both. */
function foldLeetWords(codes: Uint16Array, length: number, forms: Int32Array): void {
  let start = -1;
  for (let index = 0; index <= length; index += 1) {
    const kind = index < length ? ((forms[codes[index] ?? 0] ?? 0) >> 16) & kindBits : 0;
    if ((kind & (PLAIN | SIGN | SOFT)) !== 0) {
      if (start < 0) start = index;
    } else if (start >= 0) {
      foldLeetWord(codes, start, index);
      start = -1;
    }
  }
}

/** Per code unit: its folded form in the low half, then its kind, then its place in the Latin alphabet. */
function buildForms(): Int32Array {
  const lower = new Uint16Array(0x1_0000);
  const classes = charClasses();
  for (let code = 0; code < 0x1_0000; code += 1) {
    lower[code] = ((classes[code] ?? 0) & LETTER) === 0 ? code : lowerOf(code);
  }
  lower[0x5f] = 0x20;
  for (const [from, to] of Object.entries({ ß: "s", ı: "i", ø: "o", ł: "l", đ: "d", æ: "a", œ: "o", ħ: "h" })) {
    lower[from.charCodeAt(0)] = to.charCodeAt(0);
  }
  return Int32Array.from(lower, (code) => (letterIndexOf(code) << 24) | (kindOf(code) << 16) | code);
}

function letterIndexOf(code: number): number {
  return code >= 0x61 && code <= 0x7a ? code - 0x60 : 0;
}

function kindOf(code: number): number {
  const flags = charClasses()[code] ?? 0;
  const inWord = (flags & WORD) === 0 ? 0 : IN_WORD;
  if ((flags & LETTER) !== 0) return PLAIN | inWord;
  if (code >= 0x80 || (leetLetters[code] ?? 0) === 0) return inWord;
  return isSoftSign(code) ? SOFT : SIGN | inWord;
}

/** Lower-case, accent-free form of one code unit. One unit for one unit, so that offsets stay. */
function lowerOf(code: number): number {
  if (code >= 0xd800 && code <= 0xdfff) return code;
  const lower = String.fromCharCode(code).toLowerCase();
  // Scripts outside Latin, Greek and Cyrillic keep their marks: they are vowels there.
  if (code >= 0x0530 && (code < 0x1e00 || code > 0x1fff)) return lower.length === 1 ? lower.charCodeAt(0) : code;
  return lower.normalize("NFD").charCodeAt(0);
}
