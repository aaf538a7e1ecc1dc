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

/** Compiles keywords. Blank ones are ignored; of keywords that read the same the first is shown. */
export function compileKeywords(keywords: readonly string[]): KeywordSet {
  const spellings: string[] = [];
  const canonical: string[] = [];
  const patterns: Uint16Array[] = [];
  for (const keyword of keywords) {
    const readings = readText(keyword.trim());
    const units = withoutDoubleSpaces(readings.folded).units;
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
  const { units, origins } = withoutDoubleSpaces(readings.folded);
  const classes = charClasses();
  const verdicts = new Map<string, boolean>();
  let state = 0;
  for (let index = 0; index < units.length && matches.length < matchesMax; index += 1) {
    const unit = units[index] ?? 0;
    // From the root only the start of a word can lead anywhere.
    if (state === 0 && index > 0 && isInsideWord(classes, units, index)) continue;
    state = step(set.automaton, state, unit);
    let ending = (set.automaton.ends[state] ?? -1) === -1 ? (set.automaton.nextEnds[state] ?? 0) : state;
    while (ending !== 0) {
      const pattern = set.automaton.ends[ending] ?? 0;
      const match = confirm(readings, set, { pattern, end: index + 1, units, origins, verdicts });
      if (match !== undefined) {
        matches.push(match);
        break;
      }
      ending = set.automaton.nextEnds[ending] ?? 0;
    }
  }
  return matches;
}

/** Two units of one word, in a script that puts spaces between words. */
function isInsideWord(classes: Uint8Array, units: Uint16Array, index: number): boolean {
  const here = classes[units[index] ?? 0] ?? 0;
  const before = classes[units[index - 1] ?? 0] ?? 0;
  return (here & before & WORD) !== 0 && ((here | before) & UNSPACED) === 0;
}

interface Candidate {
  readonly pattern: number;
  readonly end: number;
  readonly units: Uint16Array;
  readonly origins: Int32Array | undefined;
  /** Spellings already judged, so that a text of one repeated word costs one judgement. */
  readonly verdicts: Map<string, boolean>;
}

function confirm(readings: Readings, set: KeywordSet, candidate: Candidate): KeywordMatch | undefined {
  const { pattern, end, units, origins } = candidate;
  const start = end - (set.lengths[pattern] ?? 0);
  const classes = charClasses();
  if (start > 0 && isInsideWord(classes, units, start)) return undefined;
  if (end < units.length && isInsideWord(classes, units, end)) return undefined;
  const from = origins?.[start] ?? start;
  const to = (origins?.[end - 1] ?? end - 1) + 1;
  const span = toSourceSpan(readings.folded, from, to);
  const written = readings.source.slice(span.start, span.end);
  const key = `${pattern} ${written}`;
  let same = candidate.verdicts.get(key);
  if (same === undefined) {
    // Thousands of different spellings of keywords are disguise in themselves.
    if (candidate.verdicts.size >= spellingsMax) same = true;
    else same = isSameWord(written, set.canonical[pattern] ?? "", readingText(readings.folded, from, to));
    candidate.verdicts.set(key, same);
  }
  if (!same) return undefined;
  return { keyword: set.spellings[pattern] ?? "", ...span };
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

/** Folds every run of white space to one space, so that line breaks inside a phrase do not matter. */
function withoutDoubleSpaces(reading: Reading): { units: Uint16Array; origins: Int32Array | undefined } {
  const classes = charClasses();
  const { codes, length } = reading;
  let kept = 0;
  const units = new Uint16Array(length);
  const origins = new Int32Array(length);
  for (let index = 0; index < length; index += 1) {
    const code = codes[index] ?? 0;
    const isSpace = ((classes[code] ?? 0) & SPACE) !== 0;
    if (isSpace && kept > 0 && units[kept - 1] === 0x20) continue;
    units[kept] = isSpace ? 0x20 : code;
    origins[kept] = index;
    kept += 1;
  }
  return { units: units.subarray(0, kept), origins };
}
