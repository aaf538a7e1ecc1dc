import { undoCamelCase } from "./camel-case.ts";
import { charClasses, latinPlaceOf, LETTER, WORD } from "./char-class.ts";
import { blankSignOf, foldLeetWord, isSoftSign, leetLetters } from "./leet.ts";
import type { Reading, Span } from "./reading.ts";
import { nextMarked } from "./runs.ts";
import {
  inOrder,
  letterBits,
  type LetterStatistics,
  letterStatisticsLength,
  orderMask,
  unusualLetters,
  unusualPerLetter,
} from "./scrambled.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";
import { joinSpacedLetters } from "./spaced-letters.ts";
import { turnPassages } from "./turn-passages.ts";

/**
 * Kinds of a folded unit, as bits: part of a word; a digit or sign that stands for a letter; a letter; punctuation that may.
 */
const IN_WORD = 1;
const SIGN = 2;
const PLAIN = 4;
const SOFT = 8;

/** Units before three single letters in a row in which more of them, with wider gaps, belong to the same word. */
const spacedReach = 64;
/** Letters in a row of which the pairs are judged together. */
const stretchLength = 64;
/** Units that are looked over together; with those before them they fit the bits of a number. */
const pieceLength = 16;
const historyMask = (1 << (pieceLength + 6)) - 1;
const kindBits = 15;
/** Signs and punctuation among forms. */
const signs = (SIGN | SOFT) << 16;
const lastTwo = (1 << (2 * letterBits)) - 1;

let forms: Int32Array | undefined;
const noStatistics: LetterStatistics = new Int8Array(letterStatisticsLength);

/** Two readings, the same object where nothing was turned. */
interface Folded {
  readonly folded: Reading;
  /** With the letters in the order in which they stand: turning is a guess, which may be wrong for rare words. */
  readonly asWritten: Reading;
  /** Ranges of what was written in which the two differ, ascending and apart; undefined where they may differ everywhere. */
  readonly turned: readonly Span[] | undefined;
}

/**
 * The reading that words are looked up in: lower case, no accents, underscores as spaces, camel case parted, digits read as the letters
 * they are drawn like inside words, spaced-out letters joined and, given letter statistics, rot13 and reversed passages read the right
 * way. Linear in the length.
 */
export function fold(decoded: Reading, statistics?: LetterStatistics, scratch?: ScratchBuffers): Folded {
  forms ??= buildForms();
  const canonical = undoCamelCase(decoded, scratch);
  const { length } = canonical;
  const codes = scratch?.unitsOf("folded", length) ?? new Uint16Array(length);
  const notice = foldUnits(canonical, codes, forms, statistics ?? noStatistics);
  if (notice.isMixed) foldLeetWords(codes, length, forms);
  const lower: Reading = { codes, length, starts: canonical.starts, ends: canonical.ends };
  if (notice.spaced.length === 0 && (statistics === undefined || notice.unusual.length === 0))
    return { folded: lower, asWritten: lower, turned: [] };
  const { reading: joined, runs, removals } = joinSpacedLetters(lower, notice.spaced, scratch);
  const isUnusual = notice.unusual.length > 0;
  if (statistics === undefined || (runs.length === 0 && !isUnusual))
    return { folded: joined, asWritten: joined, turned: [] };
  const unusual = notice.unusual.map((stretch) => {
    return { start: removals.toOutput(stretch), end: removals.toOutput(Math.min(length, stretch + stretchLength)) };
  });
  const stretches = [...unusual, ...runs].sort((left, right) => left.start - right.start);
  return { ...turnPassages(joined, { stretches, isUnusual }, statistics, scratch), asWritten: joined };
}

/** The reading in lower case alone, signs and digits as they stand. Linear. */
export function lowerCase({ codes: from, length, starts, ends }: Reading): Reading {
  forms ??= buildForms();
  const codes = new Uint16Array(length);
  for (let index = 0; index < length; index += 1) codes[index] = forms[from[index] ?? 0] ?? 0;
  return { codes, length, starts, ends };
}

/** Facts noticed in the one pass over a text. */
interface Notice {
  /** Where single letters stand in a row ("a b c"), ascending and apart. */
  readonly spaced: readonly Span[];
  /** First units of the stretches whose letters are in an order that prose does not have, ascending. */
  readonly unusual: readonly number[];
  /** A digit or sign stands beside a letter, as in digit spelling. */
  readonly isMixed: boolean;
}

/**
 * Lower-cases the text and notices what needs a closer look, which is rare. Without branches inside a piece: where words
 * end is unpredictable, and wrong guesses would cost more than the work.
 */
function foldUnits(canonical: Reading, codes: Uint16Array, forms: Int32Array, statistics: LetterStatistics): Notice {
  const { codes: from, length } = canonical;
  const order = inOrder(statistics);
  const unusual: number[] = [];
  let isMixed = false;
  const spaced: { start: number; end: number }[] = [];
  let seenBefore = 0;
  // The last units, latest in the lowest bits: whether each is part of a word; and the last three letters, five bits each.
  let history = 0;
  let letters = 0;
  for (let stretch = 0; stretch < length; stretch += stretchLength) {
    const stretchEnd = Math.min(length, stretch + stretchLength);
    let score = 0;
    let scored = 0;
    for (let piece = stretch; piece < stretchEnd; piece += pieceLength) {
      const end = Math.min(stretchEnd, piece + pieceLength);
      let seen = 0;
      for (let index = piece; index < end; index += 1) {
        const form = forms[from[index] ?? 0] ?? 0;
        codes[index] = form;
        seen |= form;
        history = (history << 1) | ((form >> 16) & IN_WORD);
        letters = ((letters << letterBits) | (form >> 24)) & orderMask;
        score += order[letters] ?? 0;
        scored += (letters & lastTwo) === 0 ? 0 : 1;
      }
      if (singlesIn(history) !== 0) extend(spaced, Math.max(0, piece - spacedReach), end);
      if (((seen | seenBefore) & signs) !== 0) isMixed ||= hasMixed(from, { start: piece, end }, forms);
      seenBefore = seen;
    }
    if (scored >= unusualLetters && score < unusualPerLetter * scored) unusual.push(stretch);
  }
  if ((history & 63) === 21) extend(spaced, Math.max(0, length - spacedReach), length);
  return { spaced, unusual, isMixed };
}

/** Adds a range behind those before it, or to the last of them that it touches. */
function extend(ranges: { start: number; end: number }[], start: number, end: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && start <= last.end) last.end = end;
  else ranges.push({ start, end });
}

/** Not 0 where the last pieces' units have three single ones in a row: 0101010, latest last. A piece may be judged twice. */
function singlesIn(history: number): number {
  const apart = ~(history | (history >>> 2) | (history >>> 4) | (history >>> 6));
  return apart & (history >>> 1) & (history >>> 3) & (history >>> 5) & historyMask;
}

/** Whether a sign stands beside a letter, or punctuation between two, up to a unit of the range. */
function hasMixed(from: Uint16Array, { start, end }: { start: number; end: number }, forms: Int32Array): boolean {
  let mixed = 0;
  let before = 0;
  let twoBefore = 0;
  for (let index = Math.max(0, start - 2); index < end; index += 1) {
    const kind = ((forms[from[index] ?? 0] ?? 0) >> 16) & kindBits;
    mixed |= ((kind & (before << 1)) | ((kind << 1) & before) | (kind & (before >> 1) & twoBefore)) & PLAIN;
    twoBefore = before;
    before = kind;
  }
  return mixed !== 0;
}

/** Reads digits and signs as letters, in every word that has them. Looks closely at those words alone. */
function foldLeetWords(codes: Uint16Array, length: number, forms: Int32Array): void {
  const blank = blankSignOf(codes, length);
  let done = 0;
  for (
    let index = nextMarked(codes, { from: 0, length }, leetUnits);
    index < length;
    index = nextMarked(codes, { from: done + 1, length }, leetUnits)
  ) {
    let start = index;
    while (start > done && isWordUnit(forms, codes[start - 1] ?? 0)) start -= 1;
    while (index < length && isWordUnit(forms, codes[index] ?? 0)) index += 1;
    foldLeetWord(codes, { start, end: index }, blank);
    done = index;
  }
}

/** By unit: 1 for digits and signs that are read as letters. */
const leetUnits = new Uint8Array(0x1_0000);
for (const [code, letter] of leetLetters.entries()) leetUnits[code] = letter === 0 ? 0 : 1;

function isWordUnit(forms: Int32Array, code: number): boolean {
  return (((forms[code] ?? 0) >> 16) & (PLAIN | SIGN | SOFT)) !== 0;
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

/** Per code unit: its folded form in the low half, then its kind, then its place in the Latin alphabet. */
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
  return Int32Array.from(lower, (code) => (latinPlaceOf(code) << 24) | (kindOf(code) << 16) | code);
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
