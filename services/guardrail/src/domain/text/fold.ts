import { charClasses, LETTER } from "./char-class.ts";
import { joinSpacedLetters } from "./spaced-letters.ts";
import { unscramble, type LetterPairs } from "./scrambled.ts";
import { foldLeet } from "./leet.ts";
import type { Reading } from "./reading.ts";

let lowerTable: Uint16Array | undefined;

/**
 * The reading that words are looked up in: lower case, no accents, underscores as spaces, digits read as the letters
 * they are drawn like inside words, spaced-out letters joined and, given letter statistics, rot13 and reversed passages
 * read the right way. Linear in the length.
 */
export function fold(canonical: Reading, pairs?: LetterPairs): Reading {
  const table = lowerTable ?? buildLowerTable();
  lowerTable = table;
  const { length } = canonical;
  const codes = new Uint16Array(length);
  for (let index = 0; index < length; index += 1) {
    codes[index] = table[canonical.codes[index] ?? 0] ?? 0;
  }
  foldLeet(codes);
  const lower: Reading = { codes, length, starts: canonical.starts, ends: canonical.ends };
  const joined = joinSpacedLetters(lower);
  return pairs === undefined ? joined : unscramble(joined, pairs);
}

/** Lower-case, accent-free form of each code unit. One unit for one unit, so that offsets stay. */
function buildLowerTable(): Uint16Array {
  const table = new Uint16Array(0x1_0000);
  const classes = charClasses();
  for (let code = 0; code < 0x1_0000; code += 1) {
    table[code] = ((classes[code] ?? 0) & LETTER) === 0 ? code : lowerOf(code);
  }
  table[0x5f] = 0x20;
  for (const [from, to] of Object.entries({ ß: "s", ı: "i", ø: "o", ł: "l", đ: "d", æ: "a", œ: "o", ħ: "h" })) {
    table[from.charCodeAt(0)] = to.charCodeAt(0);
  }
  return table;
}

function lowerOf(code: number): number {
  if (code >= 0xd800 && code <= 0xdfff) return code;
  const lower = String.fromCharCode(code).toLowerCase();
  // Scripts outside Latin, Greek and Cyrillic keep their marks: they are vowels there.
  if (code >= 0x0530 && (code < 0x1e00 || code > 0x1fff)) return lower.length === 1 ? lower.charCodeAt(0) : code;
  return lower.normalize("NFD").charCodeAt(0);
}
