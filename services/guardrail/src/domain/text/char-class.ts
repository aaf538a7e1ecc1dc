/** Bit flags of one UTF-16 code unit; `charClassOf` combines them. */
export const LETTER = 1;
/** Decimal digits of any script. */
export const DIGIT = 2;
/** Combining marks that decorate Latin, Greek and Cyrillic letters; other scripts need theirs to be readable. */
export const ACCENT = 4;
/** Invisible characters and controls: they carry no meaning, only disguise. */
export const IGNORABLE = 8;
/** Blanks and line ends. */
export const SPACE = 16;
/** Scripts written without spaces between words. */
export const UNSPACED = 32;
/** Letters of the Latin script. */
export const LATIN = 64;
/** Part of a word: letters, digits, and the vowel signs other scripts attach to letters. */
export const WORD = 128;

/** Whether a UTF-16 code unit is one of a to z. */
export function isSmallLatin(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

/** Place of a code unit among a to z, from 1; 0 for any other. */
export function latinPlaceOf(code: number): number {
  return isSmallLatin(code) ? code - 0x60 : 0;
}

let table: Uint8Array | undefined;

/** Class flags for all 65,536 code units, built on first use (about 20 ms) and shared. */
export function charClasses(): Uint8Array {
  table ??= buildTable();
  return table;
}

function buildTable(): Uint8Array {
  const classes = new Uint8Array(0x1_0000);
  for (let code = 0; code < 0x1_0000; code += 1) {
    classes[code] = classify(code);
  }
  return classes;
}

function classify(code: number): number {
  // Surrogates are halves of letters or emoji. Counting them as letters keeps both halves of a rare ideograph together.
  if (code >= 0xd800 && code <= 0xdfff) return LETTER | WORD;
  const char = String.fromCharCode(code);
  if (/\s/u.test(char) && code !== 0xfeff) return SPACE;
  // U+0640 only stretches an Arabic word.
  if (/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u0640]/u.test(char)) return IGNORABLE;
  if (isAccent(code)) return ACCENT;
  if (/\p{Nd}/u.test(char)) return DIGIT | WORD;
  if (!/[\p{L}\p{M}\p{N}]/u.test(char)) return 0;
  let flags = WORD;
  if (/[\p{L}\p{M}]/u.test(char)) flags |= LETTER;
  if (/\p{Script=Latin}/u.test(char)) flags |= LATIN;
  if (/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u.test(char)) flags |= UNSPACED;
  return flags;
}

function isAccent(code: number): boolean {
  return (
    (code >= 0x300 && code <= 0x36f) ||
    (code >= 0x1ab0 && code <= 0x1aff) ||
    (code >= 0x1dc0 && code <= 0x1dff) ||
    (code >= 0x20d0 && code <= 0x20ff) ||
    (code >= 0xfe20 && code <= 0xfe2f) ||
    (code >= 0x483 && code <= 0x489) ||
    // Hebrew points and Arabic vowel signs, which readers leave out.
    (code >= 0x591 && code <= 0x5bd) ||
    (code >= 0x64b && code <= 0x652)
  );
}
