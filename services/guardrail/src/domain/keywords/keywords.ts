import { charClasses, SPACE, UNSPACED, WORD } from "../text/char-class.ts";
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
  return { automaton: buildAutomaton(patterns), spellings, canonical, lengths: patterns.map((units) => units.length) };
}

/** Finds keywords as whole words, in the order in which they end; where several end the longest is taken. Linear. */
export function findKeywords(readings: Readings, set: KeywordSet): KeywordMatch[] {
  const matches: KeywordMatch[] = [];
  if (set.spellings.length === 0) return matches;
  const classes = charClasses();
  const { codes, length } = readings.folded;
  const { edges, ends, nextEnds } = set.automaton;
  const verdicts = new Map<string, boolean>();
  let state = 0;
  let before = 0;
  for (let index = 0; index < length; index += 1) {
    const code = codes[index] ?? 0;
    const flags = classes[code] ?? 0;
    const joined = flags & before;
    before = flags;
    if (state === 0) {
      // From the root only the start of a word can lead anywhere.
      if ((joined & WORD) !== 0 && (joined & UNSPACED) === 0 && (flags & UNSPACED) === 0) continue;
      state = edges.next(0, code);
      if (state === -1) state = 0;
    } else if ((joined & SPACE) === 0) {
      state = step(set.automaton, state, (flags & SPACE) === 0 ? code : 0x20);
    }
    if (state === 0 || ((ends[state] ?? -1) === -1 && nextEnds[state] === 0)) continue;
    const match = longestMatch(readings, set, { state, end: index + 1, verdicts });
    if (match !== undefined && matches.push(match) >= matchesMax) break;
  }
  return matches;
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
