import { charClasses, LETTER, SPACE, UNSPACED } from "../text/char-class.ts";
import { isEscapedBlank } from "../text/escaped-blanks.ts";
import { lowerCaseInto } from "../text/fold.ts";
import { isSoftSign } from "../text/leet.ts";
import { lettersOf } from "../text/letters.ts";
import type { Reading } from "../text/reading.ts";
import type { Readings } from "../text/readings.ts";
import { nextMarked } from "../text/runs.ts";
import { type Beginnings, beginningOf, mixBeginning, placeOfBeginning } from "./keyword-set.ts";
import { isHyphen, isPictographHalf, isVariant, isWordEdge } from "./symbols.ts";

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
  const isPictured = readings.hasPictographs && hasPictographs(folded);
  if (!beginnings.isLettersOnly || isPictured) return undefined;
  const letters = folded === readings.folded ? readings.letters : lettersOf(folded);
  const { positions, wordStarts, wordCount } = letters;
  const { codes } = folded;
  const { firsts } = beginnings;
  const places: number[] = [];
  for (let word = 0; word < wordCount; word += 1) {
    const start = positions[wordStarts[word] ?? 0] ?? 0;
    // A word of the text may be two in JSON: an escaped blank's letter, and a word.
    const last = isEscapedBlank(codes, start) ? start + 1 : start;
    for (let place = start; place <= last; place += 1) {
      if (firsts[codes[place] ?? 0] === 0 || !mayBegin(folded, place, beginnings)) continue;
      if (places.length >= placesMin && places.length >= most) return undefined;
      places.push(place);
    }
  }
  return places;
}

/** Whether a word begins as a keyword does, or is broken within its first symbols. */
function mayBegin(folded: Reading, start: number, { marks, symbols }: Beginnings): boolean {
  const { codes } = folded;
  breakTable ??= buildBreaks();
  let [mixed, seen] = [codes[start] ?? 0, 0];
  for (let index = start + 1; index < start + symbols; index += 1) {
    const code = codes[index] ?? 0;
    mixed = mixBeginning(mixed, code);
    seen |= breakTable[code] ?? 0;
  }
  if (marks[placeOfBeginning(mixed)] !== 0) return true;
  // Hardly any word of a script with blanks has more than these in it, so that this guess is mostly right.
  return ((seen & BREAK) !== 0 || (codes[start] ?? 0) >= 0x80) && isBroken(folded, start, symbols);
}

/** A hyphen, final sigma or apostrophe may stand in a word. */
const BREAK = 1;
/** By unit. */
let breakTable: Uint8Array | undefined;

function buildBreaks(): Uint8Array {
  return Uint8Array.from({ length: 0x1_0000 }, (_, code) => (isHyphen(code) || isVariant(code) ? BREAK : 0));
}

/** A loop, since a call for each unit would cost as much as all the rest here. */
function hasPictographs({ codes, length }: Reading): boolean {
  for (let index = 0; index < length; index += 1) if (isPictographHalf(codes[index] ?? 0)) return true;
  return false;
}

/** Whether a word is broken within its first symbols, or has a unit there that symbols have another for. */
function isBroken({ codes, length }: Reading, start: number, symbols: number): boolean {
  const classes = charClasses();
  if (isVariant(codes[start] ?? 0)) return true;
  const isUnspaced = ((classes[codes[start] ?? 0] ?? 0) & UNSPACED) !== 0;
  for (let index = start + 1; index < start + symbols && index < length; index += 1) {
    const code = codes[index] ?? 0;
    const isBlank = ((classes[code] ?? 0) & SPACE) !== 0;
    if (isBlank && !isUnspaced) return false;
    if (isBlank || isHyphen(code) || isVariant(code)) return true;
  }
  return false;
}

/** Units that are kept for the next text. */
const keptMax = 1 << 20;
let kept = new Uint16Array(0);

/** Memory for units, of which only those that are written are read. */
function memoryFor(length: number): Uint16Array {
  if (length > keptMax) return new Uint16Array(length);
  if (kept.length < length) kept = new Uint16Array(2 ** Math.ceil(Math.log2(length)));
  return kept;
}

/** Units around those that a place is judged by: a pair before it, or its first symbols. */
const margin = 8;

/**
 * Places up to a reach before ambiguous signs at which a word in lower case begins as a keyword does, or is broken, ascending. Undefined
 * where there are too many, and where keywords begin with signs. Only what is around a sign is put in lower case.
 */
export function placesAtSigns(
  canonical: Reading,
  { marks, symbols, isLettersOnly }: Beginnings,
  { first, reach }: { readonly first: number; readonly reach: number },
): number[] | undefined {
  if (!isLettersOnly) return undefined;
  const { length } = canonical;
  const codes = memoryFor(length);
  const lower: Reading = { codes, length, starts: undefined, ends: undefined };
  const classes = charClasses();
  const places: number[] = [];
  const most = Math.max(placesMin, length / reach);
  let done = 0;
  let lowered = 0;
  for (let sign = first; sign < length; sign = nextAmbiguous(canonical, sign + 1)) {
    const until = Math.min(length, sign + reach + margin);
    lowerCaseInto(codes, canonical, { start: Math.max(lowered, sign - reach - margin), end: until });
    lowered = until;
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
  ambiguousSigns ??= buildAmbiguousSigns();
  let index = nextMarked(codes, { from, length }, ambiguousSigns);
  while (index < length && !isAmbiguous(codes, index, length))
    index = nextMarked(codes, { from: index + 1, length }, ambiguousSigns);
  return index;
}

/** By unit: 1 for signs of mentions, and for the punctuation that is read as letters. */
let ambiguousSigns: Uint8Array | undefined;

function buildAmbiguousSigns(): Uint8Array {
  return Uint8Array.from({ length: 0x1_0000 }, (_, code) => (isMention(code) || isSoftSign(code) ? 1 : 0));
}

function isMention(code: number): boolean {
  return code === 0x40 || code === 0x24;
}

function isAmbiguous(codes: Uint16Array, index: number, length: number): boolean {
  const code = codes[index] ?? 0;
  if (isMention(code)) return true;
  if (!isSoftSign(code) || index === 0 || index + 1 >= length) return false;
  const classes = charClasses();
  return ((classes[codes[index - 1] ?? 0] ?? 0) & (classes[codes[index + 1] ?? 0] ?? 0) & LETTER) !== 0;
}
