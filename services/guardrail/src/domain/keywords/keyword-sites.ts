import { charClasses, LETTER, SPACE, UNSPACED } from "../text/char-class.ts";
import { isSoftSign, leetLetters } from "../text/leet.ts";
import { lettersOf } from "../text/letters.ts";
import type { Reading } from "../text/reading.ts";
import type { Readings } from "../text/readings.ts";
import { type Beginnings, beginningOf } from "./keyword-set.ts";
import { finalSigma, isHyphen, isPictographHalf, isWordEdge } from "./symbols.ts";

/** Places that are looked at one by one whatever the length of the text. */
const placesMin = 4;

/**
 * Places at which a word of the text begins as a keyword does, by its first letters as they stand, or is broken there, ascending.
 * Spares nearly every text the rest of the work. Undefined where there are too many, and where words may begin elsewhere: behind
 * pictographs, or where keywords begin with signs.
 */
export function placesOf(
  readings: Readings,
  folded: Reading,
  { beginnings, most }: { readonly beginnings: Beginnings; readonly most: number },
): number[] | undefined {
  // A text that is read as it was sent has no pairs.
  const isAsSent = folded.starts === undefined && readings.plain.text !== undefined;
  const mayHavePictographs = !isAsSent && hasPictographs(folded);
  if (!beginnings.isLettersOnly || mayHavePictographs) return undefined;
  const letters = folded === readings.folded ? readings.letters : lettersOf(folded);
  const { positions, wordStarts, wordCount } = letters;
  const { marks, symbols } = beginnings;
  const { codes } = folded;
  breakTable ??= buildBreaks();
  const breaks = breakTable;
  const places: number[] = [];
  for (let word = 0; word < wordCount; word += 1) {
    const letter = wordStarts[word] ?? 0;
    const start = positions[letter] ?? 0;
    if (marks[beginningOf(codes, start, symbols)] === 0) {
      let seen = 0;
      for (let index = start + 1; index < start + symbols; index += 1) seen |= breaks[codes[index] ?? 0] ?? 0;
      // Hardly any word of a script with blanks has more than these in it, so that this guess is mostly right.
      if ((seen & BREAK) === 0 && (codes[start] ?? 0) < 0x80) continue;
      if (!isBroken(folded, start, symbols)) continue;
    }
    if (places.length >= placesMin && places.length >= most) return undefined;
    places.push(start);
  }
  return places;
}

/** A hyphen or a final sigma may stand in a word. */
const BREAK = 1;
/** By unit. */
let breakTable: Uint8Array | undefined;

function buildBreaks(): Uint8Array {
  return Uint8Array.from({ length: 0x1_0000 }, (_, code) => (isHyphen(code) || code === finalSigma ? BREAK : 0));
}

/** A loop, since a call for each unit would cost as much as all the rest here. */
function hasPictographs({ codes, length }: Reading): boolean {
  for (let index = 0; index < length; index += 1) if (isPictographHalf(codes[index] ?? 0)) return true;
  return false;
}

/** Whether a word is broken within its first symbols, or has final sigma there, which symbols know as sigma. */
function isBroken({ codes, length }: Reading, start: number, symbols: number): boolean {
  const classes = charClasses();
  const isUnspaced = ((classes[codes[start] ?? 0] ?? 0) & UNSPACED) !== 0;
  for (let index = start + 1; index < start + symbols && index < length; index += 1) {
    const code = codes[index] ?? 0;
    const isBlank = ((classes[code] ?? 0) & SPACE) !== 0;
    if (isBlank && !isUnspaced) return false;
    if (isBlank || isHyphen(code) || code === finalSigma) return true;
  }
  return false;
}

/**
 * Places up to a reach before ambiguous signs at which a word begins as a keyword does, or is broken, ascending. Undefined where
 * there are too many, and where keywords begin with signs.
 */
export function placesAtSigns(
  lower: Reading,
  { marks, symbols, isLettersOnly }: Beginnings,
  { first, reach }: { readonly first: number; readonly reach: number },
): number[] | undefined {
  if (!isLettersOnly) return undefined;
  const { codes, length } = lower;
  const classes = charClasses();
  const places: number[] = [];
  const most = Math.max(placesMin, length / reach);
  let done = 0;
  for (let sign = first; sign < length; sign = nextAmbiguous(lower, sign + 1)) {
    let end = sign + 1;
    while (end < length && ((classes[codes[end] ?? 0] ?? 0) & SPACE) === 0 && end - sign < reach) end += 1;
    for (let start = Math.max(done, sign - reach); start < end; start += 1) {
      if (((classes[codes[start] ?? 0] ?? 0) & LETTER) === 0 || !isWordEdge(codes, start)) continue;
      if (marks[beginningOf(codes, start, symbols)] === 0 && !isBroken(lower, start, symbols)) continue;
      if (places.length >= most) return undefined;
      places.push(start);
    }
    done = Math.max(done, end);
  }
  return places;
}

/** Index of the next sign that was read as a letter and may be a digit or mark, or the end. */
export function nextAmbiguous({ codes, length }: Reading, from: number): number {
  for (let index = from; index < length; index += 1) {
    const code = codes[index] ?? 0;
    if (code < 0x80 && leetLetters[code] !== 0 && isAmbiguous(codes, index, length)) return index;
  }
  return length;
}

function isAmbiguous(codes: Uint16Array, index: number, length: number): boolean {
  const code = codes[index] ?? 0;
  if (code === 0x40 || code === 0x24) return true;
  if (!isSoftSign(code) || index === 0 || index + 1 >= length) return false;
  const classes = charClasses();
  return ((classes[codes[index - 1] ?? 0] ?? 0) & (classes[codes[index + 1] ?? 0] ?? 0) & LETTER) !== 0;
}
