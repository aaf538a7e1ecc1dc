import { charClasses, LETTER } from "../../text/char-class.ts";
import { type Reading, readingText } from "../../text/reading.ts";
import type { PiiEntity, PiiMatch } from "../entity.ts";
import { addressRules } from "./addresses.ts";
import { birthDateRule } from "./birth-dates.ts";
import { type ContextRule, contextReachMax } from "./lead.ts";
import { nameRules } from "./names.ts";
import { findUnspaced, unspacedLetters } from "./unspaced.ts";

const wordLengthMin = 1;
const wordLengthMax = 24;
const endingLengthMax = 8;

interface Rules {
  readonly byWord: ReadonlyMap<string, readonly ContextRule[]>;
  readonly byEnding: ReadonlyMap<string, readonly ContextRule[]>;
  /** Whether a rule's word has this first unit and length; prose is passed over by it. */
  readonly beginnings: Uint8Array;
  /** Whether an ending has this last unit. */
  readonly lastUnits: Uint8Array;
}

let tables: Rules | undefined;

/** Finds names, addresses and birth dates by the words around them. Linear: each word asks its rules once, which look a bounded way. */
export function findContext(reading: Reading, entities: ReadonlySet<PiiEntity>): PiiMatch[] {
  const text = readingText(reading);
  tables ??= buildTables();
  const matches: PiiMatch[] = [];
  const classes = charClasses();
  let floor = 0;
  let index = 0;
  while (index < text.length) {
    if (!isLetter(classes, text.charCodeAt(index))) {
      index += 1;
      continue;
    }
    const start = index;
    while (index < text.length && isLetter(classes, text.charCodeAt(index))) index += 1;
    const found = atWord(text, { start, end: index, floor, rules: tables }, entities);
    if (found === undefined || found.end <= found.start) continue;
    const end = Math.min(found.end, found.start + contextReachMax);
    matches.push({ ...found, end });
    floor = end;
    index = Math.max(index, end);
  }
  if (unspacedLetters.test(text)) matches.push(...findUnspaced(text, entities));
  return matches;
}

function isLetter(classes: Uint8Array, code: number): boolean {
  return ((classes[code] ?? 0) & LETTER) !== 0;
}

interface Word {
  readonly start: number;
  readonly end: number;
  readonly floor: number;
  readonly rules: Rules;
}

function atWord(
  text: string,
  { start, end, floor, rules }: Word,
  entities: ReadonlySet<PiiEntity>,
): PiiMatch | undefined {
  const length = end - start;
  if (start < floor || length < wordLengthMin || length > wordLengthMax) return undefined;
  const mayBegin = (rules.beginnings[text.charCodeAt(start)] ?? 0) !== 0;
  const mayEnd = (rules.lastUnits[text.charCodeAt(end - 1)] ?? 0) !== 0;
  if (!mayBegin && !mayEnd) return undefined;
  const word = text.slice(start, end).toLowerCase();
  const asked = mayBegin ? (rules.byWord.get(word) ?? []) : [];
  for (const rule of asked) {
    const found = entities.has(rule.entity) ? rule.find(text, { start, end }, floor) : undefined;
    if (found !== undefined && found.start >= floor) return { entity: rule.entity, ...found };
  }
  if (!mayEnd || length < 5 || !entities.has("postal_address")) return undefined;
  for (let ending = 3; ending <= endingLengthMax && ending < length; ending += 1) {
    for (const rule of rules.byEnding.get(word.slice(-ending)) ?? []) {
      const found = rule.find(text, { start, end }, floor);
      if (found !== undefined) return { entity: rule.entity, ...found };
    }
  }
  return undefined;
}

function buildTables(): Rules {
  const byWord = new Map<string, ContextRule[]>();
  const byEnding = new Map<string, ContextRule[]>();
  const beginnings = new Uint8Array(0x1_0000);
  const lastUnits = new Uint8Array(0x1_0000);
  for (const rule of [...nameRules, birthDateRule, ...addressRules]) {
    for (const word of new Set(rule.words.map(firstLetters))) {
      byWord.set(word, [...(byWord.get(word) ?? []), rule]);
      for (const first of [word.charAt(0), word.charAt(0).toUpperCase()]) beginnings[first.charCodeAt(0)] = 1;
    }
    for (const ending of rule.endings ?? []) {
      byEnding.set(ending, [...(byEnding.get(ending) ?? []), rule]);
      lastUnits[ending.charCodeAt(ending.length - 1)] = 1;
    }
  }
  return { byWord, byEnding, beginnings, lastUnits };
}

/** First letters of a phrase, its key in the index: "c" of "c/o". */
function firstLetters(word: string): string {
  return /^[\p{L}\p{M}]+/u.exec(word)?.[0] ?? word;
}
