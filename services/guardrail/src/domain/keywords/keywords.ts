import { charClasses, UNSPACED } from "../text/char-class.ts";
import { lowerCase } from "../text/fold.ts";
import { type Reading, readingText, type Span, toSourceSpan } from "../text/reading.ts";
import type { Readings } from "../text/readings.ts";
import { beginningOf, type KeywordSet, type Meaning } from "./keyword-set.ts";
import { nextAmbiguous, placesAtSigns, placesOf } from "./keyword-sites.ts";
import { isParticle, particleLengthMax } from "./particles.ts";
import { type Hashed, prefixMemory } from "./prefix-table.ts";
import { isSameCaseless, isSameWord } from "./same-word.ts";
import {
  BLANK,
  EDGE,
  HYPHEN,
  isWordEdge,
  LINE_END,
  symbolMemory,
  type Symbols,
  symbolsFrom,
  symbolsOf,
} from "./symbols.ts";
import { slicesAround } from "./turned-slices.ts";

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
export function findKeywords(readings: Readings, set: KeywordSet): readonly KeywordMatch[] {
  if (set.beginnings.symbols === 0) return noMatches;
  const folded = search(readings, readings.folded, set);
  const asWritten = readings.asWritten === readings.folded ? noMatches : searchAsWritten(readings, set);
  const atSigns = searchAtSigns(readings, set);
  // Nearly every text has none.
  if (folded.length + asWritten.length + atSigns.length === 0) return noMatches;
  return inOrder([...folded, ...asWritten, ...atSigns]);
}

const noMatches: readonly KeywordMatch[] = [];

/** Keywords as they stand in passages that were turned, which may have been a wrong guess; elsewhere both readings say the same. */
function searchAsWritten(readings: Readings, set: KeywordSet): readonly KeywordMatch[] {
  const { asWritten, turned } = readings;
  if (turned === undefined) return search(readings, asWritten, set);
  return slicesAround(asWritten, turned, reachOf(set)).flatMap(({ reading, within }) =>
    search(readings, reading, set, within),
  );
}

/** Signs that are read as letters, and stand beside words as well: of mentions, and the brackets and operators of code. */
const ambiguousSigns = ["@", "$", "(", "|", "+", "!"];

/**
 * Keywords beside a sign that was read as a letter: a mention ("@falcon") and a call ("print(secret)") have words, a disguise
 * ("@dmin") has a letter. Looks where such a sign is within reach, for elsewhere both readings say the same.
 */
function searchAtSigns(readings: Readings, set: KeywordSet): readonly KeywordMatch[] {
  const { source, plain, canonical } = readings;
  if (canonical === plain && !ambiguousSigns.some((sign) => source.includes(sign))) return [];
  const first = nextAmbiguous(canonical, 0);
  if (first === canonical.length) return [];
  const reach = reachOf(set);
  const places = placesAtSigns(canonical, set.beginnings, { first, reach });
  if (places?.length === 0) return [];
  const lower = lowerCase(canonical);
  const shared = { readings, folded: lower, set, matches: [], verdicts: new Map(), tally: { judgements: 0 } };
  if (places === undefined) searchAll({ ...shared, symbols: symbolsOf(lower) }, () => true);
  else searchAt(shared, places, reach);
  return shared.matches;
}

/** Characters looked at from a place: the longest keyword, a particle behind it, and the end of the particle. */
function reachOf(set: KeywordSet): number {
  return set.longest + particleLengthMax + 2;
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

/** @param within units of the reading at which keywords may begin; everywhere where absent */
function search(readings: Readings, folded: Reading, set: KeywordSet, within?: Span): readonly KeywordMatch[] {
  const reach = reachOf(set);
  const isWithin = (place: number): boolean => within === undefined || (place >= within.start && place < within.end);
  const all = placesOf(readings, folded, { beginnings: set.beginnings, most: folded.length / reach });
  const places = within === undefined ? all : all?.filter(isWithin);
  if (places?.length === 0) return noMatches;
  const shared = { readings, folded, set, matches: [], verdicts: new Map(), tally: { judgements: 0 } };
  if (places === undefined) searchAll({ ...shared, symbols: symbolsOf(folded) }, isWithin);
  else searchAt(shared, places, reach);
  return shared.matches;
}

/** Looks at every symbol at which a keyword may begin. */
function searchAll(walk: Search, isWithin: (place: number) => boolean): void {
  const { set, symbols } = walk;
  const sequence = set.table.hashed(symbols.codes, symbols.length);
  const { marks, symbols: looked } = set.beginnings;
  const { codes, edges, positions, length } = symbols;
  for (let start = 0; start < length && walk.matches.length < matchesMax; start += 1) {
    if (((edges[start] ?? 0) & EDGE) === 0 || marks[beginningOf(codes, start, looked)] === 0) continue;
    if (!isWithin(positions[start] ?? 0)) continue;
    matchAt(walk, sequence, start);
  }
}

/** Memory for the symbols at one place, which the next search uses again where it needs as much. */
let placeMemory:
  | {
      readonly room: number;
      readonly symbols: ReturnType<typeof symbolMemory>;
      readonly hashes: ReturnType<typeof prefixMemory>;
    }
  | undefined;

/** Looks at single places, each with the symbols that a keyword there can have. */
function searchAt(shared: Omit<Search, "symbols">, places: readonly number[], reach: number): void {
  const { set, folded, matches } = shared;
  const room = Math.min(reach, folded.length);
  if (placeMemory?.room !== room) placeMemory = { room, symbols: symbolMemory(room), hashes: prefixMemory(room) };
  const { symbols: memory, hashes } = placeMemory;
  const { marks, symbols: looked } = set.beginnings;
  for (const place of places) {
    if (matches.length >= matchesMax) return;
    if (!isWordEdge(folded.codes, place)) continue;
    const symbols = symbolsFrom(folded, place, memory);
    if (symbols.length < looked || marks[beginningOf(symbols.codes, 0, looked)] === 0) continue;
    matchAt({ ...shared, symbols }, set.table.hashed(symbols.codes, symbols.length, hashes), 0);
  }
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
      const position = symbols.positions[index] ?? 0;
      if (gap === 0 && !isCamelCase(folded, readings, position) && !isSpacedOut(folded, readings, position))
        return false;
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

/** Whether a unit is the letter behind a sign or blank that spaced-out letters were joined over ("p r o j e c t f a l c o n"). */
function isSpacedOut({ starts, ends }: Reading, { source }: Readings, position: number): boolean {
  const [from, to] = [ends?.[position - 1], starts?.[position]];
  return from !== undefined && to !== undefined && /^[\s\p{P}]$/u.test(source.slice(from, to));
}

function sourceSpan({ folded, symbols }: Search, start: number, end: number): { start: number; end: number } {
  return toSourceSpan(folded, symbols.positions[start] ?? 0, (symbols.positions[end - 1] ?? 0) + 1);
}
