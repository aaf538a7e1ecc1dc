import { isSmallLatin } from "./char-class.ts";

const digitsAndSigns: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "9": "g",
  "@": "a",
  $: "s",
  "!": "i",
  "|": "l",
  "+": "t",
  "(": "c",
};
const wordLengthMax = 40;

/** ASCII code of a digit or sign to the code of the letter it stands for; 0 for the rest. */
export const leetLetters = new Uint16Array(0x80);
for (const [sign, letter] of Object.entries(digitsAndSigns)) leetLetters[sign.charCodeAt(0)] = letter.charCodeAt(0);

/**
 * Reads the digits and signs of the word `[start, wordEnd)` as letters, in place. Signs at its ends stay punctuation, and so does the
 * sign that the text has in place of blanks.
 */
export function foldLeetWord(
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

/** Fewer are enough where a text has no blanks at all. */
const loneSignsMin = 2;

/** Units per blank at most in prose of any language that has blanks. */
const unitsPerBlankMax = 12;

/**
 * The plus of a text that has it in place of blanks, as forms encode them ("ignore+all,+now"), or 0: before letters, as often as prose
 * has blanks, and oftener than blanks.
 */
export function blankSignOf(codes: Uint16Array, length: number): number {
  // Native, and most texts have none.
  if (!codes.subarray(0, length).includes(plus)) return 0;
  let [signs, blanks] = [0, 0];
  for (let index = 0; index < length; index += 1) {
    const code = codes[index] ?? 0;
    if (code === plus) signs += isSmallLatin(codes[index + 1] ?? 0) ? 1 : 0;
    else if (code === 0x20 || code === 0x0a) blanks += 1;
  }
  return signs >= (blanks === 0 ? loneSignsMin : separatorsMin) && signs > blanks && signs * unitsPerBlankMax >= length
    ? plus
    : 0;
}

function isClosingSign(code: number): boolean {
  return code === 0x21 || code === 0x28 || code === 0x2b || code === 0x7c || code === 0x40 || code === 0x24;
}

/** Signs that are punctuation unless letters stand on both sides. */
export function isSoftSign(code: number): boolean {
  return code === 0x21 || code === 0x28 || code === 0x2b || code === 0x7c;
}
