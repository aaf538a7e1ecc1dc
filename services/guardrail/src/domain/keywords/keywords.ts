import { charClasses, LETTER, SPACE, UNSPACED, WORD } from "../text/char-class.ts";
import { type Reading, readingText, toSourceSpan } from "../text/reading.ts";
import { readText, type Readings } from "../text/readings.ts";
import { type Automaton, buildAutomaton, step } from "./automaton.ts";

/** Compiled blocklist. */
export interface KeywordSet {
  readonly automaton: Automaton;
  /** Spelling as configured, by pattern number. */
  readonly spellings: readonly string[];
  /** Lower-case canonical form, by pattern number. */
  readonly canonical: readonly string[];
  readonly lengths: readonly number[];
  /** Undefined when every place must be tried. */
  readonly beginnings: Beginnings | undefined;
}

/** Filter on how keywords begin. */
interface Beginnings {
  readonly marks: Uint8Array;
  /** Units that are looked at: as many as every keyword has before its first space. */
  readonly units: number;
}

export interface KeywordMatch {
  readonly keyword: string;
  /** Offsets in the source text. */
  readonly start: number;
  readonly end: number;
}

/** Matches listed per text; the first one decides, the rest are for the person who tries a policy. */
const matchesMax = 50;
/** A disguised word has an accent on at least this share of its letters; real words of most languages have fewer. */
const disguiseShare = 0.5;
const beginningsMask = 0xffff;
const beginningUnitsMax = 4;
const spellingsMax = 2000;
/** More source than this for one keyword is stuffed with invisible characters. */
const writtenLengthMax = 2000;

/** Compiles keywords. Blank ones are ignored; of keywords that read the same the first is shown. */
export function compileKeywords(keywords: readonly string[]): KeywordSet {
  const spellings: string[] = [];
  const canonical: string[] = [];
  const patterns: Uint16Array[] = [];
  for (const keyword of keywords) {
    const readings = readText(keyword.trim());
    const units = toUnits(readings.folded);
    if (units.length === 0) continue;
    spellings.push(keyword);
    canonical.push(lowerText(readings.canonical, 0, readings.canonical.length));
    patterns.push(units);
  }
  return {
    automaton: buildAutomaton(patterns),
    spellings,
    canonical,
    lengths: patterns.map((units) => units.length),
    beginnings: markBeginnings(patterns),
  };
}

/** Finds keywords as whole words, in the order in which they end; where several end the longest is taken. Linear. */
export function findKeywords(readings: Readings, set: KeywordSet): KeywordMatch[] {
  if (set.spellings.length === 0) return [];
  const search: Search = { readings, set, matches: [], verdicts: new Map() };
  if (set.beginnings === undefined) {
    walk(search, 0, readings.folded.length);
    return search.matches;
  }
  const { positions, wordStarts, wordCount } = readings.letters;
  const { codes } = readings.folded;
  let resume = 0;
  for (let word = 0; word < wordCount && search.matches.length < matchesMax; word += 1) {
    const start = positions[wordStarts[word] ?? 0] ?? 0;
    if (start < resume || set.beginnings.marks[beginningOf(codes, start, set.beginnings.units)] === 0) continue;
    resume = walk(search, start, start + 1);
  }
  return search.matches;
}

interface Search {
  readonly readings: Readings;
  readonly set: KeywordSet;
  readonly matches: KeywordMatch[];
  /** Spellings already judged, so that a text of one repeated word costs one judgement. */
  readonly verdicts: Map<string, boolean>;
}

/** Runs the automaton from `start` at least to `until`, and on while a keyword may be under way. Returns where it stopped. */
function walk(search: Search, start: number, until: number): number {
  const { readings, set, matches } = search;
  const classes = charClasses();
  const { codes, length } = readings.folded;
  const { ends, nextEnds } = set.automaton;
  let state = 0;
  let before = 0;
  let index = start;
  while (index < length && (index < until || state !== 0) && matches.length < matchesMax) {
    const code = codes[index] ?? 0;
    const flags = classes[code] ?? 0;
    const isRepeatedSpace = (flags & before & SPACE) !== 0;
    before = flags;
    index += 1;
    if (isRepeatedSpace) continue;
    state = step(set.automaton, state, (flags & SPACE) === 0 ? code : 0x20);
    if (state === 0 || ((ends[state] ?? -1) === -1 && nextEnds[state] === 0)) continue;
    const match = longestMatch(readings, set, { state, end: index, verdicts: search.verdicts });
    if (match !== undefined) matches.push(match);
  }
  return index;
}

/** Place of the first units of a word in the table of beginnings. */
function beginningOf(codes: Uint16Array, start: number, units: number): number {
  let mixed = codes[start] ?? 0;
  for (let index = start + 1; index < start + units; index += 1) {
    mixed = Math.imul(mixed, 0x9e37_79b1) + (codes[index] ?? 0);
  }
  mixed = Math.imul(mixed, 0x85eb_ca6b);
  return (mixed ^ (mixed >>> 15)) & beginningsMask;
}

/** How keywords begin; undefined when a keyword begins with something other than a letter. */
function markBeginnings(patterns: readonly Uint16Array[]): Beginnings | undefined {
  const units = Math.min(beginningUnitsMax, ...new Set(patterns.map((pattern) => unitsAtStart(pattern))));
  if (units === 0) return undefined;
  const marks = new Uint8Array(beginningsMask + 1);
  for (const pattern of patterns) marks[beginningOf(pattern, 0, units)] = 1;
  return { marks, units };
}

/** Units before the first space, of which a text may have more; none when the first is not a letter. */
function unitsAtStart(pattern: Uint16Array): number {
  const classes = charClasses();
  if (((classes[pattern[0] ?? 0] ?? 0) & LETTER) === 0) return 0;
  const bound = Math.min(pattern.length, beginningUnitsMax);
  let units = 1;
  while (units < bound && !isSpace(classes, pattern[units])) units += 1;
  return units;
}

interface Ending {
  readonly state: number;
  /** Index in the folded reading after the last unit. */
  readonly end: number;
  /** Spellings already judged, so that a text of one repeated word costs one judgement. */
  readonly verdicts: Map<string, boolean>;
}

function longestMatch(readings: Readings, set: KeywordSet, ending: Ending): KeywordMatch | undefined {
  const { ends, nextEnds } = set.automaton;
  let state = (ends[ending.state] ?? -1) === -1 ? (nextEnds[ending.state] ?? 0) : ending.state;
  while (state !== 0) {
    const match = confirm(readings, set, { ...ending, pattern: ends[state] ?? 0 });
    if (match !== undefined) return match;
    state = nextEnds[state] ?? 0;
  }
  return undefined;
}

/** Two neighbouring units of one word, in a script that puts spaces between words. */
function isInsideWord(codes: Uint16Array, index: number): boolean {
  const classes = charClasses();
  const here = classes[codes[index] ?? 0] ?? 0;
  const before = classes[codes[index - 1] ?? 0] ?? 0;
  return (here & before & WORD) !== 0 && ((here | before) & UNSPACED) === 0;
}

function confirm(readings: Readings, set: KeywordSet, ending: Ending & { pattern: number }): KeywordMatch | undefined {
  const { pattern, end, verdicts } = ending;
  const { codes, length } = readings.folded;
  const start = startOf(codes, end, set.lengths[pattern] ?? 0);
  if ((start > 0 && isInsideWord(codes, start)) || (end < length && isInsideWord(codes, end))) return undefined;
  const span = toSourceSpan(readings.folded, start, end);
  const written = readings.source.slice(span.start, Math.min(span.end, span.start + writtenLengthMax));
  const key = `${pattern} ${written}`;
  let same = verdicts.get(key);
  if (same === undefined) {
    // Thousands of different spellings of keywords are disguise in themselves.
    if (verdicts.size >= spellingsMax) same = true;
    else same = isSameWord(written, set.canonical[pattern] ?? "", readingText(readings.folded, start, end));
    verdicts.set(key, same);
  }
  return same ? { keyword: set.spellings[pattern] ?? "", ...span } : undefined;
}

/** Walks back over `count` units, a run of white space counting as one. */
function startOf(codes: Uint16Array, end: number, count: number): number {
  const classes = charClasses();
  let index = end;
  for (let left = count; left > 0 && index > 0; left -= 1) {
    index -= 1;
    while (isSpace(classes, codes[index]) && index > 0 && isSpace(classes, codes[index - 1])) index -= 1;
  }
  return index;
}

function isSpace(classes: Uint8Array, code: number | undefined): boolean {
  return ((classes[code ?? 0] ?? 0) & SPACE) !== 0;
}

/**
 * The folded reading drops accents and reads digits as letters, so that disguise does not help. A word that merely
 * differs ("año" for "ano", "achan" for "4chan") is not the keyword.
 */
function isSameWord(written: string, wanted: string, folded: string): boolean {
  const canonical = readText(written).canonical;
  const lower = lowerText(canonical, 0, canonical.length);
  if (lower === wanted) return true;
  const bare = lower.normalize("NFD").replaceAll(/[\u0300-\u036f]/gu, "");
  if (bare !== folded.replaceAll(/\s+/gu, " ")) return true;
  if (lower === bare) return bare === wanted;
  const letters = bare.match(/\p{L}/gu)?.length ?? 1;
  const accents = written.normalize("NFD").match(/[\u0300-\u036f]/gu)?.length ?? 0;
  return accents >= letters * disguiseShare;
}

function lowerText(reading: Reading, start: number, end: number): string {
  return readingText(reading, start, end).toLowerCase().replaceAll(/\s+/gu, " ");
}

/** Units of a keyword with every run of white space as one space, so that line breaks inside a phrase do not matter. */
function toUnits(reading: Reading): Uint16Array {
  const text = readingText(reading).replaceAll(/\s+/gu, " ").trim();
  return Uint16Array.from(text, (_, index) => text.charCodeAt(index));
}
