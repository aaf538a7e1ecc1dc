import { isSmallLatin } from "./char-class.ts";
import { foldedForms, kindShift, PLAIN, SIGN, SOFT } from "./forms.ts";
import { leetLetters } from "./leet.ts";

/** Units of a text that are looked over together. */
export const pieceLength = 16;
const wordLengthMax = 40;
const inWords = (PLAIN | SIGN | SOFT) << kindShift;

/** By unit: 1 for digits and signs that are read as letters. */
const leetUnits = new Uint8Array(0x1_0000);
for (const [code, letter] of leetLetters.entries()) leetUnits[code] = letter === 0 ? 0 : 1;

/**
 * Reads digits and signs as letters, in place, in every word that has them.
 * @param pieces first units of the pieces of `pieceLength` that have one, ascending
 */
export function foldLeetWords(codes: Uint16Array, length: number, pieces: readonly number[]): void {
  const forms = foldedForms();
  const isWordUnit = (code: number): boolean => ((forms[code] ?? 0) & inWords) !== 0;
  const blank = blankSignOf(codes, length, pieces);
  let done = 0;
  let next = 0;
  for (const piece of pieces) {
    const pieceEnd = Math.min(length, piece + pieceLength);
    for (let index = Math.max(piece, next); index < pieceEnd; index += 1) {
      if (leetUnits[codes[index] ?? 0] === 0) continue;
      let start = index;
      while (start > done && isWordUnit(codes[start - 1] ?? 0)) start -= 1;
      while (index < length && isWordUnit(codes[index] ?? 0)) index += 1;
      foldLeetWord(codes, { start, end: index }, blank);
      done = index;
      next = index + 1;
    }
  }
}

/**
 * Reads the digits and signs of the word `[start, wordEnd)` as letters, in place. Signs at its ends stay punctuation, and so does the
 * sign that the text has in place of blanks.
 */
function foldLeetWord(
  codes: Uint16Array,
  { start, end: wordEnd }: { readonly start: number; readonly end: number },
  blank: number,
): void {
  let end = wordEnd;
  // "stop!!!" and "now(" end in punctuation, not in letters.
  while (end > start && isClosingSign(codes[end - 1] ?? 0)) end -= 1;
  if (end - start > wordLengthMax || end - start < 2) return;
  let first = start;
  while (first < end && isClosingSign(codes[first] ?? 0) && codes[first] !== 0x40 && codes[first] !== 0x24) first += 1;
  const separator = separatorOf(codes, first, end) || blank;
  for (let index = first; index < end; index += 1) {
    const code = codes[index] ?? 0;
    if (code === separator) continue;
    if (code < 0x80 && (leetLetters[code] ?? 0) !== 0) codes[index] = leetLetters[code] ?? code;
  }
}

const bar = 0x7c;
const plus = 0x2b;
const separatorsMin = 3;

/** A bar or plus that parts the letters or words of a range, "i|g|n" or "ignore+all+that+is": often, never twice in a row. */
function separatorOf(codes: Uint16Array, start: number, end: number): number {
  let hasAny = false;
  for (let index = start; index < end; index += 1) hasAny ||= codes[index] === bar || codes[index] === plus;
  if (!hasAny) return 0;
  if (isAlternating(codes, start, end)) return bar;
  for (const sign of [bar, plus]) {
    let count = 0;
    for (let index = start; index < end; index += 1) {
      if (codes[index] !== sign) continue;
      count = codes[index + 1] === sign ? Number.NEGATIVE_INFINITY : count + 1;
    }
    if (count >= separatorsMin) return sign;
  }
  return 0;
}

/** Whether every other unit is a bar between single letters, "a|l|l": so few stand in words of spaced-out letters alone. */
function isAlternating(codes: Uint16Array, start: number, end: number): boolean {
  if ((end - start) % 2 === 0) return false;
  for (let index = start; index < end; index += 1)
    if ((index - start) % 2 === 1 ? codes[index] !== bar : !isSmallLatin(codes[index] ?? 0)) return false;
  return true;
}

/** Fewer are enough where a text has no blanks at all. */
const loneSignsMin = 2;

/** Units per blank at most in prose of any language that has blanks. */
const unitsPerBlankMax = 12;

/**
 * The plus of a text that has it in place of blanks, as forms encode them ("ignore+all,+now"), or 0: before letters, as often as prose
 * has blanks, and oftener than blanks.
 */
function blankSignOf(codes: Uint16Array, length: number, pieces: readonly number[]): number {
  let signs = 0;
  for (const piece of pieces) {
    const end = Math.min(length - 1, piece + pieceLength);
    for (let index = piece; index < end; index += 1)
      if (codes[index] === plus && isSmallLatin(codes[index + 1] ?? 0)) signs += 1;
  }
  if (signs < loneSignsMin || signs * unitsPerBlankMax < length) return 0;
  let blanks = 0;
  for (let index = 0; index < length; index += 1) {
    const code = codes[index] ?? 0;
    if (code === 0x20 || code === 0x0a) blanks += 1;
  }
  return signs >= (blanks === 0 ? loneSignsMin : separatorsMin) && signs > blanks ? plus : 0;
}

function isClosingSign(code: number): boolean {
  return code === 0x21 || code === 0x28 || code === 0x2b || code === 0x7c || code === 0x40 || code === 0x24;
}
