import { charClasses, LETTER } from "./char-class.ts";

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

const letters = new Uint16Array(0x80);
for (const [sign, letter] of Object.entries(digitsAndSigns)) letters[sign.charCodeAt(0)] = letter.charCodeAt(0);

/** Reads digits and signs as letters, in place, in words that have both. Signs at the end of a word stay punctuation. */
export function foldLeet(codes: Uint16Array): void {
  const classes = charClasses();
  let start = -1;
  let signs = 0;
  let plain = 0;
  for (let index = 0; index <= codes.length; index += 1) {
    const code = index < codes.length ? (codes[index] ?? 0) : 0x20;
    const isLetter = code < 0x80 ? code >= 0x61 && code <= 0x7a : ((classes[code] ?? 0) & LETTER) !== 0;
    const isSign = code < 0x80 && (letters[code] ?? 0) !== 0;
    if (isLetter || isSign) {
      if (start < 0) start = index;
      if (isLetter) plain += 1;
      else signs += 1;
      continue;
    }
    if (signs > 0 && plain > 0) foldWord(codes, start, index);
    start = -1;
    signs = 0;
    plain = 0;
  }
}

function foldWord(codes: Uint16Array, start: number, wordEnd: number): void {
  let end = wordEnd;
  // "stop!!!" and "now(" end in punctuation, not in letters.
  while (end > start && isClosingSign(codes[end - 1] ?? 0)) end -= 1;
  if (end - start > wordLengthMax || end - start < 2) return;
  let first = start;
  while (first < end && isClosingSign(codes[first] ?? 0) && codes[first] !== 0x40 && codes[first] !== 0x24) first += 1;
  for (let index = first; index < end; index += 1) {
    const code = codes[index] ?? 0;
    if (code < 0x80 && (letters[code] ?? 0) !== 0) codes[index] = letters[code] ?? code;
  }
}

function isClosingSign(code: number): boolean {
  return code === 0x21 || code === 0x28 || code === 0x2b || code === 0x7c || code === 0x40 || code === 0x24;
}
