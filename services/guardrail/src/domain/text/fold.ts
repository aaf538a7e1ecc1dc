import { undoCamelCase } from "./camel-case.ts";
import { isSmallLatin } from "./char-class.ts";
import { foldedForms, IN_WORD, kindShift, MASK, PICTURE, placeShift, PLAIN, SIGN, SOFT } from "./forms.ts";
import { foldLeetWords, pieceLength } from "./leet-words.ts";
import {
  countedInOrder,
  isOdd,
  isUnusual,
  letterBits,
  type LetterStatistics,
  letterStatisticsLength,
  oddSum,
  orderMask,
  stretchLength,
} from "./letter-statistics.ts";
import type { Reading, Span } from "./reading.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";
import { joinSpacedLetters } from "./spaced-letters.ts";
import { turnPassages } from "./turn-passages.ts";

/** Units before three single letters in a row in which more of them, with wider gaps, belong to the same word. */
const spacedReach = 64;
/** Bits of a piece and of the units before it, which a number has room for. */
const historyMask = (1 << (pieceLength + 6)) - 1;
const kindBits = 15;
/** Signs and punctuation among forms. */
const signs = (SIGN | SOFT) << kindShift;
const noStatistics: LetterStatistics = new Int8Array(letterStatisticsLength);

/** Two readings, the same object where nothing was turned. */
export interface Folded {
  readonly folded: Reading;
  /** With the letters in the order in which they stand: turning is a guess, which may be wrong for rare words. */
  readonly asWritten: Reading;
  /** Ranges of what was written in which the two differ, ascending and apart; undefined where they may differ everywhere. */
  readonly turned: readonly Span[] | undefined;
  /** Some stretches of the second in which words may be misspelt. */
  readonly odd: readonly Span[];
  /** Whether there is half of a pictograph. */
  readonly hasPictographs: boolean;
}

/**
 * The reading that words are looked up in: lower case, no accents, underscores as spaces, camel case parted, digits read as the letters
 * they are drawn like inside words, spaced-out letters joined and, given letter statistics, rot13 and reversed passages read the right
 * way. Linear in the length.
 */
export function fold(decoded: Reading, statistics?: LetterStatistics, scratch?: ScratchBuffers): Folded {
  const canonical = undoCamelCase(decoded, scratch);
  const { length } = canonical;
  const codes = scratch?.unitsOf("folded", length) ?? new Uint16Array(length);
  const notice = foldUnits(canonical, codes, statistics ?? noStatistics);
  if (notice.isMixed) foldLeetWords(codes, length, notice.signPieces);
  const { hasPictographs } = notice;
  const lower: Reading = { codes, length, starts: canonical.starts, ends: canonical.ends };
  const stretchesOf = (starts: readonly number[]): Span[] =>
    starts.map((start) => ({ start, end: Math.min(length, start + stretchLength) }));
  if (notice.spaced.length === 0 && (statistics === undefined || notice.unusual.length === 0))
    return { folded: lower, asWritten: lower, turned: [], odd: stretchesOf(notice.odd), hasPictographs };
  const { reading: joined, runs, removals } = joinSpacedLetters(lower, notice.spaced, scratch);
  const moved = (stretch: Span): Span => ({
    start: removals.toOutput(stretch.start),
    end: removals.toOutput(stretch.end),
  });
  const odd = stretchesOf(notice.odd).map(moved);
  const hasUnusual = notice.unusual.length > 0;
  if (statistics === undefined || (runs.length === 0 && !hasUnusual))
    return { folded: joined, asWritten: joined, turned: [], odd, hasPictographs };
  const unusual = stretchesOf(notice.unusual).map(moved);
  const stretches = [...unusual, ...runs].sort((left, right) => left.start - right.start);
  const turned = turnPassages(joined, { stretches, isUnusual: hasUnusual }, statistics, scratch);
  return { ...turned, asWritten: joined, odd, hasPictographs };
}

/** The reading in lower case alone, signs and digits as they stand. Linear. */
export function lowerCase(canonical: Reading): Reading {
  const { length, starts, ends } = canonical;
  const codes = new Uint16Array(length);
  lowerCaseInto(codes, canonical, { start: 0, end: length });
  return { codes, length, starts, ends };
}

/** Puts a range of a reading into its places in lower case. */
export function lowerCaseInto(codes: Uint16Array, { codes: from }: Reading, { start, end }: Span): void {
  const forms = foldedForms();
  for (let index = start; index < end; index += 1) codes[index] = forms[from[index] ?? 0] ?? 0;
}

/** Facts noticed in the one pass over a text. */
interface Notice {
  /** Where single letters stand in a row ("a b c"), ascending and apart. */
  readonly spaced: readonly Span[];
  /** First units of the stretches whose letters are in an order that prose does not have, ascending. */
  readonly unusual: readonly number[];
  /** First units of stretches in which words may be misspelt, at most twice `oddMax`. */
  readonly odd: readonly number[];
  /** A digit or sign stands beside a letter, as in digit spelling. */
  readonly isMixed: boolean;
  /** First units of the pieces with a digit or sign, ascending. */
  readonly signPieces: readonly number[];
  readonly hasPictographs: boolean;
}

/**
 * Lower-cases the text and notices what needs a closer look, which is rare. Without branches inside a piece: where words
 * end is unpredictable, and wrong guesses would cost more than the work.
 */
function foldUnits({ codes: from, length }: Reading, codes: Uint16Array, statistics: LetterStatistics): Notice {
  const forms = foldedForms();
  const order = countedInOrder(statistics);
  const unusual: number[] = [];
  const odd: number[] = [];
  const signPieces: number[] = [];
  const spaced: { start: number; end: number }[] = [];
  let isMixed = false;
  let seenBefore = 0;
  let seenAny = 0;
  // A short text may be one stretch.
  let sumBefore = oddSum;
  // The last units, latest in the lowest bits: whether each is part of a word; and the last three letters, five bits each.
  let history = 0;
  let letters = 0;
  for (let stretch = 0; stretch < length; stretch += stretchLength) {
    const stretchEnd = Math.min(length, stretch + stretchLength);
    let sum = 0;
    for (let piece = stretch; piece < stretchEnd; piece += pieceLength) {
      const end = Math.min(stretchEnd, piece + pieceLength);
      let seen = 0;
      for (let index = piece; index < end; index += 1) {
        const form = forms[from[index] ?? 0] ?? 0;
        codes[index] = form;
        seen |= form;
        history = (history << 1) | ((form >> kindShift) & IN_WORD);
        letters = ((letters << letterBits) | (form >> placeShift)) & orderMask;
        sum += order[letters] ?? 0;
      }
      if (singlesIn(history) !== 0) extend(spaced, Math.max(0, piece - spacedReach), end);
      if ((seen & signs) !== 0) signPieces.push(piece);
      if (((seen | seenBefore) & signs) !== 0) isMixed ||= hasMixed(from, { start: piece, end }, forms);
      seenBefore = seen;
      seenAny |= seen;
    }
    if (isOdd(sum, sumBefore)) odd.push(stretch);
    sumBefore = sum;
    if (isUnusual(sum)) unusual.push(stretch);
  }
  if ((history & 63) === 21) extend(spaced, Math.max(0, length - spacedReach), length);
  const hasMasks = (seenAny & (MASK << kindShift)) !== 0 && statistics !== noStatistics;
  const masked = hasMasks ? spread(maskedStretches(codes, length)) : [];
  return {
    spaced,
    unusual,
    odd: masked.length > 0 ? [...spread(odd), ...masked] : spread(odd),
    isMixed,
    signPieces,
    hasPictographs: (seenAny & (PICTURE << kindShift)) !== 0,
  };
}

/** Masked letters of a stretch, at least, that make it odd: fewer are products, footnotes or names. */
const maskedMin = 2;

/** First units of the stretches in which signs for letters stand between letters, ascending. */
function maskedStretches(codes: Uint16Array, length: number): number[] {
  const forms = foldedForms();
  const masked: number[] = [];
  for (let stretch = 0; stretch < length; stretch += stretchLength) {
    let count = 0;
    for (let index = Math.max(1, stretch); index < Math.min(length - 1, stretch + stretchLength); index += 1) {
      if ((((forms[codes[index] ?? 0] ?? 0) >> kindShift) & MASK) === 0) continue;
      if (isSmallLatin(codes[index - 1] ?? 0) && isSmallLatin(codes[index + 1] ?? 0)) count += 1;
    }
    if (count >= maskedMin) masked.push(stretch);
  }
  return masked;
}

/** Odd stretches that are looked at, spread evenly over those of a text: code and other languages have many. */
const oddMax = 12;

function spread(stretches: readonly number[]): readonly number[] {
  const step = Math.ceil(stretches.length / oddMax);
  return step <= 1 ? stretches : stretches.filter((_, index) => index % step === 0);
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
    const kind = ((forms[from[index] ?? 0] ?? 0) >> kindShift) & kindBits;
    mixed |= ((kind & (before << 1)) | ((kind << 1) & before) | (kind & (before >> 1) & twoBefore)) & PLAIN;
    twoBefore = before;
    before = kind;
  }
  return mixed !== 0;
}
