import { isSmallLatin } from "./char-class.ts";
import { gainMax, hasVowel, repairedLettersMax, KnownWords } from "./known-words.ts";
import { isMaskSign } from "./leet.ts";
import { type Reading, ReadingBuilder, type Span, toSourceSpan } from "./reading.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";

/** Evidence that the words of a passage must bring together before it is read another way: two misspelt words in prose do not. */
const evidenceMin = 8;
/** Evidence that is enough in a doubtful text: that of one word of five letters or more. */
const closeEvidenceMin = 4;
/** Evidence of a word against a disguise: of a long one that is known, of an unknown one that stands for none, of an unknown short one. */
const knownCost = 0.5;
const unknownCost = 4;
const unknownShortCost = 2;
const shortLetters = 3;
/** Unknown words of the range that is looked at, at least. */
const unknownMin = 2;
/** Units on either side of a stretch that are looked at with it. */
const reach = 48;
/** Signs in a row that stand for letters. */
const signsMax = 4;

const blank = 0x20;
const lineEnd = 0x0a;
const hyphen = 0x2d;

/** Signs of a stretch that are usual in code, at most, if it is prose. */
const codeSignsMax = 7;
const codeSigns = new Uint8Array(0x80);
for (const sign of '(){}[];=<>"/`\\') codeSigns[sign.charCodeAt(0)] = 1;

/** Words that stand for others. */
interface Candidates {
  /** Ranges of units: start and end of each beside one another. */
  readonly ranges: number[];
  readonly words: Uint8Array[];
}

let known: KnownWords | undefined;

/** The frequent words, whose table is built when one is first looked for. */
function knownWords(): KnownWords {
  return (known ??= new KnownWords());
}

/**
 * Reads misspelt words as the common ones that they stand for: letters swapped, doubled, dropped, replaced by signs, without vowels, by
 * sound ("igonre", "i*nore", "prvs insturctions"). Only where most unknown words of a passage stand for others, so that names, code,
 * other languages and single errors stay as they are. Gives the same reading where there is nothing to do.
 * @param suspects stretches in which words may be misspelt: the rest is looked at only if one of these is
 */
export function repairWords(reading: Reading, suspects: readonly Span[], scratch?: ScratchBuffers): Reading {
  if (suspects.length === 0) return reading;
  const words = knownWords();
  const isMisspelt = suspects.some(
    (stretch) =>
      mayBeMisspelt(reading, wordsAround(reading, stretch, 0), words) &&
      candidatesIn(reading, wordsAround(reading, stretch, reach), words).words.length > 0,
  );
  if (!isMisspelt) return reading;
  return withRepairs(reading, candidatesIn(reading, { start: 0, end: reading.length }, words), scratch);
}

/**
 * Reads misspelt words of a text that is doubtful anyway: every passage is looked at, and one misspelt word may be enough. English alone,
 * since the lists of other languages know too few words.
 */
export function repairClosely(reading: Reading): Reading {
  const words = knownWords();
  const whole = { start: 0, end: reading.length };
  if (!isEnglish(reading.codes, Math.min(reading.length, languageReach), words)) return reading;
  return withRepairs(reading, candidatesIn(reading, whole, words, closeEvidenceMin));
}

/** Units of a text by which its language is known. */
const languageReach = 512;
/** Known words of English for each of another language, at least, in a text that is English. */
const englishMin = 3;

function isEnglish(codes: Uint16Array, end: number, known: KnownWords): boolean {
  let sum = 0;
  for (let index = 0; index < end; index += 1) {
    const first = index;
    while (index < end && isSmallLatin(codes[index] ?? 0)) index += 1;
    const side = index === first ? 0 : known.languageSide(codes, first, index);
    sum += side < 0 ? -englishMin : side;
  }
  return sum > 0;
}

function withRepairs(reading: Reading, { ranges, words }: Candidates, scratch?: ScratchBuffers): Reading {
  if (words.length === 0) return reading;
  const output = new ReadingBuilder(reading.length, scratch);
  let copied = 0;
  for (const [number, word] of words.entries()) {
    const [start, end] = [ranges[number * 2] ?? 0, ranges[number * 2 + 1] ?? 0];
    output.copyRange(reading, copied, start);
    const span = toSourceSpan(reading, start, end);
    for (const letter of word) output.push(letter, span.start, span.end);
    copied = end;
  }
  output.copyRange(reading, copied, reading.length);
  return output.build();
}

function wordsAround({ codes, length }: Reading, stretch: Span, units: number): Span {
  let start = Math.min(length, Math.max(0, stretch.start - units));
  let end = Math.min(length, stretch.end + units);
  for (let steps = 0; steps < repairedLettersMax && start > 0 && isSmallLatin(codes[start - 1] ?? 0); steps += 1)
    start -= 1;
  for (let steps = 0; steps < repairedLettersMax && end < length && isSmallLatin(codes[end] ?? 0); steps += 1) end += 1;
  return { start, end };
}

/**
 * Whether there are unknown words in a language that is known, where most short words are, for disguises hardly change them; and few
 * signs of code.
 */
function mayBeMisspelt({ codes }: Reading, { start, end }: Span, known: KnownWords): boolean {
  let [unknown, short, foreign, signs] = [0, 0, 0, 0];
  for (let index = start; index < end; index += 1) {
    if (!isSmallLatin(codes[index] ?? 0)) {
      signs += codeSigns[codes[index] ?? 0] ?? 0;
      if (signs > codeSignsMax) return false;
      continue;
    }
    const first = index;
    while (index < end && isSmallLatin(codes[index] ?? 0)) index += 1;
    const isKnown = isCommon(codes, first, index, known);
    if (index - first > shortLetters) unknown += isKnown ? 0 : 1;
    else if (!isSign(codes[first - 1] ?? 0) && !isSign(codes[index] ?? 0)) {
      if (isKnown) short += 1;
      else if (hasVowel(codes, first, index)) foreign += 1;
      else unknown += 1;
    } else if (!isKnown) unknown += 1;
  }
  return unknown >= unknownMin && foreign <= short + 1;
}

function isCommon(codes: Uint16Array, start: number, end: number, known: KnownWords): boolean {
  return end - start === 1 ? codes[start] === 0x61 || codes[start] === 0x69 : known.isKnown(codes, start, end);
}

/** Punctuation of ASCII but what ends clauses: it may stand for a letter, or part the letters of a word. */
function isSign(code: number): boolean {
  return code > 0x20 && code < 0x7f && !isSmallLatin(code) && !(code >= 0x30 && code <= 0x39) && code !== 0x2c;
}

interface Found {
  readonly end: number;
  readonly word: Uint8Array;
  readonly gain: number;
}

/** The words in passages that are misspelt, of all words in a range. */
function candidatesIn(reading: Reading, { start, end }: Span, known: KnownWords, least = evidenceMin): Candidates {
  const { codes } = reading;
  const ranges: number[] = [];
  const words: Uint8Array[] = [];
  // Words of closed passages, and of the open one up to where it says most.
  let [kept, sum, best, bestCount] = [0, 0, 0, 0];
  const close = (): void => {
    if (best >= least) kept = bestCount;
    if (words.length > kept) {
      words.length = kept;
      ranges.length = kept * 2;
    }
    [sum, best, bestCount] = [0, 0, kept];
  };
  for (let index = start; index < end;) {
    if (!isSmallLatin(codes[index] ?? 0)) {
      index += 1;
      continue;
    }
    let last = index;
    while (last < end && isSmallLatin(codes[last] ?? 0)) last += 1;
    const isKnown = isCommon(codes, index, last, known);
    const found =
      longerWord(codes, { start: index, end: last, limit: end, isKnown }, known) ??
      (isKnown ? undefined : alone(codes, index, last, known));
    if (found !== undefined) {
      sum += found.gain;
      ranges.push(index, found.end);
      words.push(found.word);
      if (sum > best) [best, bestCount] = [sum, words.length];
    } else if (isKnown) sum -= last - index > shortLetters ? knownCost : 0;
    else sum -= last - index > shortLetters ? unknownCost : unknownShortCost;
    if (sum <= 0 || sum < best - evidenceMin) close();
    index = found?.end ?? last;
  }
  close();
  return { ranges, words };
}

function alone(codes: Uint16Array, start: number, end: number, known: KnownWords): Found | undefined {
  const repair = known.repair(codes, start, end);
  return repair === undefined ? undefined : { end, ...repair };
}

interface Run extends Span {
  readonly limit: number;
  readonly isKnown: boolean;
}

/** The word that letters stand for together with those behind a sign, a blank or a line end. */
function longerWord(codes: Uint16Array, { start, end, limit, isKnown }: Run, known: KnownWords): Found | undefined {
  const gap = codes[end] ?? 0;
  const isBlank = gap === blank || gap === lineEnd;
  if (end + 1 > limit || !(isBlank || isSign(gap))) return undefined;
  const filled = isBlank ? undefined : masked(codes, { start, end, limit, isKnown }, known);
  if (filled !== undefined || !isSmallLatin(codes[end + 1] ?? 0) || end - start >= repairedLettersMax) return filled;
  let next = end + 1;
  while (next < limit && isSmallLatin(codes[next] ?? 0)) next += 1;
  const isPlain = isKnown && isCommon(codes, end + 1, next, known);
  if (isPlain && gap !== lineEnd && gap !== hyphen) return undefined;
  const word = known.joined(codes, [start, end, end + 1, next]);
  return word === undefined ? undefined : { end: next, word, gain: isPlain ? 0 : Math.min(gainMax, word.length - 3) };
}

/** The word of letters between which signs stand for letters. */
function masked(codes: Uint16Array, { start, end, limit, isKnown }: Run, known: KnownWords): Found | undefined {
  let last = end;
  let isUnknown = !isKnown || end - start === 1 || isMaskSign(codes[end] ?? 0);
  for (;;) {
    let next = last;
    while (next < limit && next - last <= signsMax && isSign(codes[next] ?? 0)) next += 1;
    if (next === last || next - last > signsMax || next - start > repairedLettersMax) break;
    if (!isSmallLatin(codes[next] ?? 0) || next >= limit) {
      // Behind the last letter only a sign that ends no sentence stands for one.
      if (next - last === 1 && isMaskSign(codes[last] ?? 0)) last = next;
      break;
    }
    const first = next;
    while (next < limit && isSmallLatin(codes[next] ?? 0)) next += 1;
    isUnknown ||= !isCommon(codes, first, next, known);
    last = next;
  }
  if (!isUnknown || last === end) return undefined;
  const filled = known.fill(codes, start, last);
  return filled === undefined ? undefined : { end: last, ...filled };
}
