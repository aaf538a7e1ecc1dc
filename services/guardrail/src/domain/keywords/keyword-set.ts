import { charClasses, LETTER } from "../text/char-class.ts";
import type { Reading } from "../text/reading.ts";
import { readText } from "../text/readings.ts";
import { ScratchBuffers } from "../text/scratch-buffers.ts";
import { PrefixTable } from "./prefix-table.ts";
import { type KeywordForms, keywordForms } from "./same-word.ts";
import { EDGE, symbolsOf, unitsOf } from "./symbols.ts";

/** Compiled blocklist. */
export interface KeywordSet {
  readonly table: PrefixTable;
  /** By pattern number: what a sequence of symbols may be, in the order in which they were configured. */
  readonly patterns: readonly Pattern[];
  readonly beginnings: Beginnings;
  /** Symbols of the longest pattern. */
  readonly longest: number;
  /** Places in the list of keywords that can never be found, for they are empty or have nothing but blanks, hyphens and invisible signs. */
  readonly unfindable: readonly number[];
}

interface Pattern {
  readonly length: number;
  readonly meanings: readonly Meaning[];
}

/** One keyword, in one of the ways to write it. */
export interface Meaning {
  /** As configured. */
  readonly spelling: string;
  /** Symbols with a blank or hyphen before them, ascending. */
  readonly gaps: readonly number[];
  /** The text must equal the keyword but for its case: this spelling differs from its symbols' reading. */
  readonly isCaseOnly: boolean;
  readonly forms: () => KeywordForms;
}

/** Filter on how keywords begin. */
export interface Beginnings {
  readonly marks: Uint8Array;
  /** By unit: 1 where a word that begins with it may be a keyword. One look spares most words all others. */
  readonly firsts: Uint8Array;
  /** Symbols that are looked at: as many as every keyword has before its first gap. None where there are no keywords. */
  readonly symbols: number;
  /** Whether every keyword begins with a letter, so that only the first letters of words need be looked at. */
  readonly isLettersOnly: boolean;
}

const beginningsMask = 0xffff;
const beginningSymbolsMax = 4;

interface Draft {
  readonly codes: Uint16Array;
  readonly meanings: Meaning[];
}

/**
 * Compiles keywords in steps of one keyword. Those that can never be found are ignored; of keywords that read the same the first is shown.
 * Linear in their length.
 */
export function* compileKeywordSteps(keywords: readonly string[]): Generator<void, KeywordSet> {
  const { drafts, unfindable } = yield* draftPatterns(keywords);
  return {
    table: yield* PrefixTable.of(drafts.map(({ codes }) => codes)),
    patterns: drafts.map(({ codes, meanings }) => ({ length: codes.length, meanings })),
    beginnings: markBeginnings(drafts),
    longest: drafts.reduce((most, { codes }) => Math.max(most, codes.length), 0),
    unfindable,
  };
}

function* draftPatterns(
  keywords: readonly string[],
): Generator<void, { readonly drafts: readonly Draft[]; readonly unfindable: readonly number[] }> {
  const drafts = new Map<string, Draft>();
  const unfindable: number[] = [];
  // Own to this compilation, for others may read texts between its steps.
  const scratch = new ScratchBuffers();
  for (const [number, keyword] of keywords.entries()) {
    yield;
    const trimmed = keyword.trim();
    const own = readText(trimmed, undefined, scratch);
    let forms: KeywordForms | undefined;
    const formsOf = (): KeywordForms => (forms ??= keywordForms(trimmed));
    const addReading = (folded: Reading, isCaseOnly: boolean): boolean => {
      const { codes, edges, length } = symbolsOf(folded);
      if (length === 0) return false;
      const key = Buffer.from(codes.buffer, codes.byteOffset, length * 2).toString("latin1");
      const draft: Draft = drafts.get(key) ?? { codes: codes.slice(0, length), meanings: [] };
      const gaps: number[] = [];
      for (let index = 1; index < length; index += 1) if (((edges[index] ?? 0) & ~EDGE) !== 0) gaps.push(index);
      const meaning: Meaning = { spelling: keyword, gaps, isCaseOnly, forms: formsOf };
      if (!draft.meanings.some((known) => isSameMeaning(known, meaning))) draft.meanings.push(meaning);
      drafts.set(key, draft);
      return true;
    };
    if (!addReading(own.folded, false)) unfindable.push(number);
    for (const variant of caseVariants(trimmed)) addReading(readText(variant, undefined, scratch).folded, true);
  }
  return { drafts: [...drafts.values()], unfindable };
}

function isSameMeaning(left: Meaning, right: Meaning): boolean {
  if (left.isCaseOnly !== right.isCaseOnly || left.isCaseOnly) return false;
  return left.gaps.length === right.gaps.length && left.gaps.every((gap, index) => gap === right.gaps[index]);
}

/**
 * The keyword in other cases, where the folded reading of those differs: look-alikes are read as Latin only where a whole word
 * has twins, which capitals of Cyrillic and Greek have more of (МОСКВА, but not москва); ß is one letter or two.
 */
function caseVariants(keyword: string): ReadonlySet<string> {
  const variants = new Set<string>();
  if (/[\u0370-\u052f]/u.test(keyword)) {
    const lower = keyword.toLowerCase();
    variants.add(lower).add(keyword.toUpperCase());
    // Greek capitals are usually written without accents, so that they may have twins only then (ΝΕΡΟ).
    variants.add(withoutGreekAccents(keyword.toUpperCase()));
    variants.add(lower.replaceAll(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase()));
  }
  if (/ß|ẞ/u.test(keyword)) variants.add(keyword.replaceAll(/ß|ẞ/gu, "ss"));
  if (/ss/iu.test(keyword)) variants.add(keyword.replaceAll(/ss/giu, "ß"));
  variants.delete(keyword);
  return variants;
}

function withoutGreekAccents(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/(?<=\p{sc=Greek}\p{M}*)\p{M}/gu, "")
    .normalize("NFC");
}

/** Place of the first symbols of a word in the table of beginnings. */
export function beginningOf(codes: Uint16Array, start: number, symbols: number): number {
  let mixed = codes[start] ?? 0;
  for (let index = start + 1; index < start + symbols; index += 1) mixed = mixBeginning(mixed, codes[index] ?? 0);
  return placeOfBeginning(mixed);
}

/** Adds a symbol to the mix of those before it, of which the first is a symbol as it stands. */
export function mixBeginning(mixed: number, symbol: number): number {
  return (Math.imul(mixed, 0x9e37_79b1) + symbol) | 0;
}

/** Place of mixed symbols in the table of beginnings. */
export function placeOfBeginning(mixed: number): number {
  const place = Math.imul(mixed, 0x85eb_ca6b);
  return (place ^ (place >>> 15)) & beginningsMask;
}

function markBeginnings(drafts: readonly Draft[]): Beginnings {
  const classes = charClasses();
  const marks = new Uint8Array(beginningsMask + 1);
  const firsts = new Uint8Array(0x1_0000);
  let symbols = drafts.length === 0 ? 0 : beginningSymbolsMax;
  let isLettersOnly = true;
  for (const { codes, meanings } of drafts) {
    symbols = Math.min(symbols, codes.length, ...meanings.map(({ gaps }) => gaps[0] ?? codes.length));
    const first = codes[0] ?? 0;
    isLettersOnly &&= ((classes[first] ?? 0) & LETTER) !== 0 && (first < 0xd800 || first > 0xdfff);
  }
  for (const { codes } of drafts) {
    marks[beginningOf(codes, 0, symbols)] = 1;
    for (const unit of unitsOf(codes[0] ?? 0)) firsts[unit] = 1;
  }
  return { marks, firsts, symbols, isLettersOnly };
}
