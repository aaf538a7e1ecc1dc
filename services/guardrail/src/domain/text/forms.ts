import { charClasses, latinPlaceOf, LETTER, WORD } from "./char-class.ts";
import { isMaskSign, isSoftSign, leetLetters } from "./leet.ts";

/**
 * Kinds of a folded unit, as bits: part of a word; a digit or sign that stands for a letter; a letter; punctuation that may; half of
 * a pictograph; a sign for any letter.
 */
export const IN_WORD = 1;
export const SIGN = 2;
export const PLAIN = 4;
export const SOFT = 8;
/** Half of a pictograph (U+1F000 to U+1FBFF). */
export const PICTURE = 16;
/** As `isMaskSign` says. */
export const MASK = 32;
/** Bits below a form's kind, which is above its unit. */
export const kindShift = 16;
/** Bits below a form's place in the Latin alphabet, which is at the top. */
export const placeShift = 24;

let table: Int32Array | undefined;

/** Per code unit: its folded form in the low half, then its kind, then its place in the Latin alphabet. Made once. */
export function foldedForms(): Int32Array {
  table ??= buildForms();
  return table;
}

/** Letters drawn as small capitals, which are separate letters in Unicode. */
const smallCapitals = Array.from("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ", (letter, index) => {
  return [letter, "abcdefghijklmnopqrstuvwyz".charAt(index)] as const;
});

/** Letters without a decomposition, in each case that they have, and the Latin letter that they are read as. */
const undecomposed = [
  ["ßẞ", "s"],
  ["ı", "i"],
  ["øØ", "o"],
  ["łŁ", "l"],
  ["đĐ", "d"],
  ["æÆ", "a"],
  ["œŒ", "o"],
  ["ħĦ", "h"],
] as const;

function buildForms(): Int32Array {
  const lower = new Uint16Array(0x1_0000);
  const classes = charClasses();
  for (let code = 0; code < 0x1_0000; code += 1) {
    lower[code] = ((classes[code] ?? 0) & LETTER) === 0 ? code : lowerOf(code);
  }
  lower[0x5f] = 0x20;
  for (const [letters, latin] of [...smallCapitals, ...undecomposed]) {
    for (const letter of letters) lower[letter.charCodeAt(0)] = latin.charCodeAt(0);
  }
  return Int32Array.from(lower, (code) => (latinPlaceOf(code) << placeShift) | (kindOf(code) << kindShift) | code);
}

function kindOf(code: number): number {
  const flags = charClasses()[code] ?? 0;
  const inWord = (flags & WORD) === 0 ? 0 : IN_WORD;
  if (isMaskSign(code)) return MASK | inWord;
  if (code >= 0xd83c && code <= 0xd83e) return PLAIN | PICTURE | inWord;
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
