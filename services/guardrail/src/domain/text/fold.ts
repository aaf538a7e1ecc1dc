import { charClasses, LETTER, WORD } from "./char-class.ts";
import { foldLeetWord, leetLetters } from "./leet.ts";
import type { Reading } from "./reading.ts";
import { type LetterPairs, unscramble } from "./scrambled.ts";
import { joinSpacedLetters } from "./spaced-letters.ts";

/** This many single letters in a row are worth a closer look. */
const singlesMin = 4;

/** What a folded unit is, as bits; 0 ends a word. */
const PLAIN = 1;
const SIGN = 2;
const OTHER_WORD = 4;

let forms: Uint32Array | undefined;

/**
 * The reading that words are looked up in: lower case, no accents, underscores as spaces, digits read as the letters
 * they are drawn like inside words, spaced-out letters joined and, given letter statistics, rot13 and reversed passages
 * read the right way. Linear in the length.
 */
export function fold(canonical: Reading, pairs?: LetterPairs): Reading {
  forms ??= buildForms();
  const { length } = canonical;
  const codes = new Uint16Array(length);
  const hasSpacedLetters = foldWords(canonical, codes, forms);
  const lower: Reading = { codes, length, starts: canonical.starts, ends: canonical.ends };
  const joined = hasSpacedLetters ? joinSpacedLetters(lower) : lower;
  return pairs === undefined ? joined : unscramble(joined, pairs);
}

/** Lower-cases and undoes digit spelling word by word; says whether single letters stand in a row anywhere. */
function foldWords(canonical: Reading, codes: Uint16Array, forms: Uint32Array): boolean {
  const { codes: from, length } = canonical;
  let wordStart = -1;
  let kindsSeen = 0;
  let singles = 0;
  let hasSpacedLetters = false;
  for (let index = 0; index < length; index += 1) {
    const form = forms[from[index] ?? 0] ?? 0;
    codes[index] = form & 0xffff;
    const kind = form >>> 16;
    if (kind !== 0) {
      if (wordStart < 0) wordStart = index;
      kindsSeen |= kind;
      continue;
    }
    if (wordStart < 0) continue;
    if ((kindsSeen & (PLAIN | SIGN)) === (PLAIN | SIGN)) foldLeetWord(codes, wordStart, index);
    singles = index - wordStart <= 2 ? singles + 1 : 0;
    if (singles >= singlesMin) hasSpacedLetters = true;
    wordStart = -1;
    kindsSeen = 0;
  }
  if (wordStart >= 0) {
    if ((kindsSeen & (PLAIN | SIGN)) === (PLAIN | SIGN)) foldLeetWord(codes, wordStart, length);
    if (length - wordStart <= 2 && singles + 1 >= singlesMin) hasSpacedLetters = true;
  }
  // Signs such as "|" and "+" between letters make one long word of them.
  return hasSpacedLetters || hasSignSpacing(canonical);
}

function hasSignSpacing({ codes }: Reading): boolean {
  return codes.includes(0x7c) || codes.includes(0x2b);
}

/** Per code unit: its folded form in the low half, its kind in the high half. */
function buildForms(): Uint32Array {
  const lower = new Uint16Array(0x1_0000);
  const classes = charClasses();
  for (let code = 0; code < 0x1_0000; code += 1) {
    lower[code] = ((classes[code] ?? 0) & LETTER) === 0 ? code : lowerOf(code);
  }
  lower[0x5f] = 0x20;
  for (const [from, to] of Object.entries({ ß: "s", ı: "i", ø: "o", ł: "l", đ: "d", æ: "a", œ: "o", ħ: "h" })) {
    lower[from.charCodeAt(0)] = to.charCodeAt(0);
  }
  return Uint32Array.from(lower, (code) => (kindOf(code) << 16) | code);
}

function kindOf(code: number): number {
  const flags = charClasses()[code] ?? 0;
  if ((flags & LETTER) !== 0) return PLAIN;
  if (code < 0x80 && (leetLetters[code] ?? 0) !== 0) return SIGN;
  return (flags & WORD) === 0 ? 0 : OTHER_WORD;
}

/** Lower-case, accent-free form of one code unit. One unit for one unit, so that offsets stay. */
function lowerOf(code: number): number {
  if (code >= 0xd800 && code <= 0xdfff) return code;
  const lower = String.fromCharCode(code).toLowerCase();
  // Scripts outside Latin, Greek and Cyrillic keep their marks: they are vowels there.
  if (code >= 0x0530 && (code < 0x1e00 || code > 0x1fff)) return lower.length === 1 ? lower.charCodeAt(0) : code;
  return lower.normalize("NFD").charCodeAt(0);
}
