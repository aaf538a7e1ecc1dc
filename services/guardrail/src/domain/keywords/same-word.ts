import { readingText } from "../text/reading.ts";
import { readText } from "../text/readings.ts";
import { apostrophesInText, dividersInText } from "./symbols.ts";

/** A disguised word has an accent on at least this share of its letters; real words of most languages have fewer. */
const disguiseShare = 0.5;

/** Forms of a keyword that what was written is compared with. */
export interface KeywordForms {
  /** Lower case with accents, as the canonical reading has it, without blanks and hyphens. */
  readonly lower: string;
  /** Fully case-folded. */
  readonly caseless: string;
  readonly isGreekCapitals: boolean;
}

/** The spellings that a find is compared with, made once for a keyword. */
export function keywordForms(keyword: string): KeywordForms {
  const lower = readingText(readText(keyword).canonical).toLowerCase();
  return { lower: squeeze(lower), caseless: foldCase(keyword), isGreekCapitals: isGreekCapitals(keyword) };
}

/**
 * Whether what was written is the keyword. The folded reading drops accents and reads digits as letters, so that disguise
 * does not help; a word that merely differs ("año" for "ano", "achan" for "4chan") is not the keyword.
 */
export function isSameWord(written: string, wanted: KeywordForms, folded: string): boolean {
  if (isSameCaseless(written, wanted)) return true;
  const { canonical } = readText(written);
  const lower = squeeze(readingText(canonical).toLowerCase());
  if (lower === wanted.lower) return true;
  const bare = lower.normalize("NFD").replaceAll(/[\u0300-\u036f]/gu, "");
  if (bare !== squeeze(folded)) return true;
  if (lower === bare) return bare === wanted.lower;
  const letters = bare.match(/\p{L}/gu)?.length ?? 1;
  const accents = written.normalize("NFD").match(/[\u0300-\u036f]/gu)?.length ?? 0;
  return accents >= letters * disguiseShare;
}

/** Whether two spellings differ in case alone. Greek capitals are written without accents, in a text as in a keyword. */
export function isSameCaseless(written: string, wanted: KeywordForms): boolean {
  const folded = foldCase(written);
  if (folded === wanted.caseless) return true;
  if (!wanted.isGreekCapitals && !isGreekCapitals(written)) return false;
  return withoutAccents(folded) === withoutAccents(wanted.caseless);
}

function isGreekCapitals(text: string): boolean {
  return /\p{sc=Greek}/u.test(text) && text === text.toUpperCase();
}

/**
 * Full case folding, with letters without a case pair (ß, final sigma, dotted and dotless i) as their capitals have it, and
 * without blanks, hyphens and invisible characters.
 */
function foldCase(text: string): string {
  // Lower case first, since the capital ẞ is its own capital, but ß has SS for one.
  const lower = text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase();
  const folded = lower.replaceAll("i\u0307", "i").replaceAll("ς", "σ");
  return squeeze(folded.replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, ""));
}

function withoutAccents(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "");
}

/** The text without what may stand between the symbols of a word or phrase, with straight apostrophes. */
function squeeze(text: string): string {
  return text
    .replaceAll(/[\s_]+/gu, "")
    .replaceAll(dividersInText, "")
    .replaceAll(apostrophesInText, "'");
}
