import { charClasses, SPACE, UNSPACED } from "../text/char-class.ts";
import { lowerCase } from "../text/fold.ts";
import { lettersOf } from "../text/letters.ts";
import { type Reading, readingText, toSourceSpan } from "../text/reading.ts";
import type { Readings } from "../text/readings.ts";
import { type Beginnings, beginningOf, type KeywordSet, type Meaning } from "./keyword-set.ts";
import { isParticle, particleLengthMax } from "./particles.ts";
import { type Hashed, prefixMemory } from "./prefix-table.ts";
import { isSameCaseless, isSameWord } from "./same-word.ts";
import {
  BLANK,
  EDGE,
  finalSigma,
  HYPHEN,
  isHyphen,
  isPictographHalf,
  isWordEdge,
  LINE_END,
  symbolMemory,
  type Symbols,
  symbolsFrom,
  symbolsOf,
} from "./symbols.ts";

interface KeywordMatch {
  readonly keyword: string;
  /** Offsets in the source text. */
  readonly start: number;
  readonly end: number;
}

/** Matches listed per text; the first one decides, the rest are for the person who tries a policy. */
const matchesMax = 50;
/** Distinct spellings judged per text. More that come this close to keywords are disguise in themselves. */
const spellingsMax = 2000;
/** Judgements per text, repeated spellings included, with the same consequence. */
const judgementsMax = 20_000;
/** More source than this for one keyword is stuffed with invisible characters. */
const writtenLengthMax = 2000;

/**
 * Finds keywords as whole words, in the order in which they end; of those that end together the longest counts. A word may be
 * broken by a hyphen, at the end of a line too; a phrase by any blank or hyphen, or written in camel case. Linear in the text,
 * whatever the keywords.
 */
export function findKeywords(readings: Readings, set: KeywordSet): KeywordMatch[] {
  if (set.beginnings.symbols === 0) return [];
  const matches = search(readings, readings.folded, set);
  if (readings.asWritten !== readings.folded) matches.push(...search(readings, readings.asWritten, set));
  // A sign before a word is a mention ("@falcon") as well as a letter in disguise ("@dmin").
  if (readings.source.includes("@") || readings.source.includes("$"))
    matches.push(...search(readings, lowerCase(readings.canonical), set));
  return inOrder(matches);
}

/** By end, the longest first; one for each end. */
function inOrder(matches: KeywordMatch[]): KeywordMatch[] {
  matches.sort((left, right) => left.end - right.end || left.start - right.start);
  return matches.filter(({ end }, index) => index === 0 || matches[index - 1]?.end !== end).slice(0, matchesMax);
}

interface Search {
  readonly readings: Readings;
  readonly folded: Reading;
  readonly set: KeywordSet;
  readonly symbols: Symbols;
  readonly matches: KeywordMatch[];
  /** Spellings already judged, so that a text of one repeated word costs one judgement. */
  readonly verdicts: Map<string, boolean>;
  readonly tally: { judgements: number };
}

function search(readings: Readings, folded: Reading, set: KeywordSet): KeywordMatch[] {
  const shared = { readings, folded, set, matches: [], verdicts: new Map(), tally: { judgements: 0 } };
  // Characters looked at from a place: the longest keyword, a particle behind it, and the end of the particle.
  const reach = set.longest + particleLengthMax + 2;
  const places = placesOf(readings, folded, { beginnings: set.beginnings, most: folded.length / reach });
  if (places === undefined) searchAll({ ...shared, symbols: symbolsOf(folded) });
  else if (places.length > 0) searchAt(shared, places, reach);
  return shared.matches;
}

/** Looks at every symbol. */
function searchAll(walk: Search): void {
  const { set, symbols } = walk;
  const sequence = set.table.hashed(symbols.codes, symbols.length);
  const { marks, symbols: looked } = set.beginnings;
  const { codes, edges, length } = symbols;
  for (let start = 0; start < length && walk.matches.length < matchesMax; start += 1) {
    if (((edges[start] ?? 0) & EDGE) === 0 || marks[beginningOf(codes, start, looked)] === 0) continue;
    matchAt(walk, sequence, start);
  }
}

/** Looks at single places, each with the symbols that a keyword there can have. */
function searchAt(shared: Omit<Search, "symbols">, places: readonly number[], reach: number): void {
  const { set, folded, matches } = shared;
  const memory = symbolMemory(Math.min(reach, folded.length));
  const hashes = prefixMemory(memory.codes.length);
  const { marks, symbols: looked } = set.beginnings;
  for (const place of places) {
    if (matches.length >= matchesMax) return;
    if (!isWordEdge(folded.codes, place)) continue;
    const symbols = symbolsFrom(folded, place, memory);
    if (symbols.length < looked || marks[beginningOf(symbols.codes, 0, looked)] === 0) continue;
    matchAt({ ...shared, symbols }, set.table.hashed(symbols.codes, symbols.length, hashes), 0);
  }
}

/** Places that are looked at one by one whatever the length of the text. */
const placesMin = 4;

/**
 * Places at which a word of the text begins as a keyword does, by its first letters as they stand, or is broken there, ascending.
 * Spares nearly every text the rest of the work. Undefined where there are too many, and where words may begin elsewhere: behind
 * pictographs, or where keywords begin with signs.
 */
function placesOf(
  readings: Readings,
  folded: Reading,
  { beginnings, most }: { readonly beginnings: Beginnings; readonly most: number },
): number[] | undefined {
  // A reading with the offsets of its source is ASCII.
  const mayHavePictographs =
    folded.starts !== undefined && folded.codes.subarray(0, folded.length).some(isPictographHalf);
  if (!beginnings.isLettersOnly || mayHavePictographs) return undefined;
  const letters = folded === readings.folded ? readings.letters : lettersOf(folded);
  const { positions, wordStarts, wordCount } = letters;
  const { marks, symbols } = beginnings;
  const { codes } = folded;
  const places: number[] = [];
  for (let word = 0; word < wordCount; word += 1) {
    const letter = wordStarts[word] ?? 0;
    const start = positions[letter] ?? 0;
    if (marks[beginningOf(codes, start, symbols)] === 0) {
      const last = letter + symbols - 1;
      // Latin letters side by side are not broken.
      const isWhole = last < letters.length && positions[last] === start + symbols - 1 && (codes[start] ?? 0) < 0x80;
      if (isWhole || !isBroken(folded, start, symbols)) continue;
    }
    if (places.length >= placesMin && places.length >= most) return undefined;
    places.push(start);
  }
  return places;
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

/** Adds the keywords that stand at a symbol. */
function matchAt(walk: Search, sequence: Hashed, start: number): void {
  const { set, matches } = walk;
  let pattern = set.table.longestAt(sequence, start);
  while (pattern !== -1 && matches.length < matchesMax) {
    const { length, meanings } = set.patterns[pattern] ?? { length: 0, meanings: [] };
    const end = start + length;
    if (isWordEnd(walk.symbols, end)) {
      const meaning = meanings.find((candidate) => isMeant(walk, candidate, { start, end }));
      if (meaning !== undefined) matches.push({ keyword: meaning.spelling, ...sourceSpan(walk, start, end) });
    }
    pattern = set.table.shorterThan(pattern);
  }
}

function isWordEnd(symbols: Symbols, end: number): boolean {
  if (((symbols.edges[end] ?? 0) & EDGE) !== 0) return true;
  return isParticle(symbols, end);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function isMeant(walk: Search, meaning: Meaning, range: Range): boolean {
  walk.tally.judgements += 1;
  if (!hasGaps(walk, meaning, range)) return false;
  if (walk.tally.judgements > judgementsMax && !meaning.isCaseOnly) return true;
  const { folded, readings, symbols, verdicts } = walk;
  const span = sourceSpan(walk, range.start, range.end);
  const written = readings.source.slice(span.start, Math.min(span.end, span.start + writtenLengthMax));
  if (meaning.isCaseOnly) return isSameCaseless(written, meaning.forms());
  const key = `${meaning.spelling}\n${written}`;
  let same = verdicts.get(key);
  if (same === undefined) {
    const from = symbols.positions[range.start] ?? 0;
    const to = (symbols.positions[range.end - 1] ?? 0) + 1;
    same = verdicts.size >= spellingsMax || isSameWord(written, meaning.forms(), readingText(folded, from, to));
    verdicts.set(key, same);
  }
  return same;
}

/** Whether the blanks and hyphens in a range are those of a keyword, or such as break a word. */
function hasGaps({ folded, symbols, readings }: Search, { gaps }: Meaning, { start, end }: Range): boolean {
  let next = 0;
  for (let index = start + 1; index < end; index += 1) {
    const gap = (symbols.edges[index] ?? 0) & ~EDGE;
    if (gaps[next] === index - start) {
      next += 1;
      if (gap === 0 && !isCamelCase(folded, readings, symbols.positions[index] ?? 0)) return false;
    } else if (gap !== 0 && !isBreak(gap, symbols, index)) return false;
  }
  return true;
}

/** A hyphen, a hyphen at the end of a line, or one blank between letters of a script without blanks. */
function isBreak(gap: number, { codes }: Symbols, index: number): boolean {
  if (gap === HYPHEN || gap === (HYPHEN | BLANK | LINE_END)) return true;
  if (gap !== BLANK && gap !== (BLANK | LINE_END)) return false;
  const classes = charClasses();
  return ((classes[codes[index] ?? 0] ?? 0) & (classes[codes[index - 1] ?? 0] ?? 0) & UNSPACED) !== 0;
}

/** A capital behind a small letter: "ProjectFalcon". */
function isCamelCase(folded: Reading, { source }: Readings, position: number): boolean {
  const at = folded.starts?.[position] ?? position;
  return /\p{Ll}\p{Lu}/u.test(source.slice(Math.max(0, at - 1), at + 1));
}

function sourceSpan({ folded, symbols }: Search, start: number, end: number): { start: number; end: number } {
  return toSourceSpan(folded, symbols.positions[start] ?? 0, (symbols.positions[end - 1] ?? 0) + 1);
}
