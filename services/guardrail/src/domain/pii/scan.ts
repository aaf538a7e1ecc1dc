import { isIP } from "node:net";
import { type Reading, readingText } from "../text/reading.ts";
import { nextMarked } from "../text/runs.ts";
import { isCardNumber } from "./checksums.ts";
import { emailAt, spelledEmailAt } from "./emails.ts";
import type { PiiEntity, PiiMatch, PiiSelection } from "./entity.ts";
import { ibanAt } from "./ibans.ts";
import { apartCardEnd, gluedCardEnd, looseCardEnd } from "./loose-cards.ts";
import { isNationalIdNumber, nationalIdWordLength, nationalIdWordMax } from "./national-ids.ts";
import {
  cardNumberEnd,
  defangedQuadEnd,
  digitsFrom,
  dottedQuadEnd,
  fewDigitsEnd,
  isAlphanumeric,
  isBehindVersionWord,
  isDash,
  isDigit,
  isGlued,
  numberRunAt,
  type NumberRun,
  withHyphens,
} from "./numbers.ts";
import { hasPhoneContext, phoneLength } from "./phones.ts";

const contextWindow = 48;
const afterLength = 14;
const phoneDigitsMin = 6;
const ipv6LengthMax = 45;
const idGroupsMax = 7;
const idLengthMax = 24;

/** Kinds of values that a unit may begin; one look per unit, without a comparison, keeps ordinary prose cheap. */
const NUMBER = 1;
const AT = 2;
const BRACKET = 3;
const COLON = 4;
const starts = new Uint8Array(0x1_0000);
for (const char of "0123456789+(") starts[char.charCodeAt(0)] = NUMBER;
for (const char of "[<{") starts[char.charCodeAt(0)] = BRACKET;
starts[0x40] = AT;
starts[0x3a] = COLON;

interface Scan {
  readonly reading: Reading;
  readonly selection: PiiSelection;
  readonly matches: PiiMatch[];
  /** Nothing before this index may be part of another match. */
  done: number;
  /** End of the last number run, which bounds how far back the next one looks for context. */
  lastNumber: number;
  /** Colons before this index have been judged. */
  judgedColons: number;
}

/** Finds the selected entities in a canonical reading, in order, without overlaps. Linear; bounded work per character. */
export function scanPii(reading: Reading, selection: PiiSelection): PiiMatch[] {
  const scan: Scan = { reading, selection, matches: [], done: 0, lastNumber: 0, judgedColons: 0 };
  const { codes, length } = reading;
  for (
    let index = nextMarked(codes, { from: 0, length }, starts);
    index < length;
    index = nextMarked(codes, { from: index, length }, starts)
  ) {
    // Never back and never on the spot: a detector that is wrong about its match must not stop the service.
    index = Math.max(index + 1, scanAt(scan, index, starts[codes[index] ?? 0] ?? 0));
  }
  return scan.matches;
}

/** Handles the character at `index` and returns where to go on. */
function scanAt(scan: Scan, index: number, kind: number): number {
  switch (kind) {
    case NUMBER:
      return scanNumber(scan, index);
    case AT:
      return take(scan, "email", emailAt(scan.reading, index)) ?? index + 1;
    case BRACKET:
      return take(scan, "email", spelledEmailAt(scan.reading, index, scan.done)) ?? index + 1;
    default:
      return take(scan, "ip_address", ipv6At(scan, index)) ?? index + 1;
  }
}

/**
 * Records a wanted match. A later e-mail replaces what it contains, and begins behind a number that ends in its name, as in
 * `+1 415 555 2671.ana@example.org`: both are reported.
 */
function take(scan: Scan, entity: PiiEntity, match: PiiMatch | undefined): number | undefined {
  if (match === undefined || !scan.selection.entities.has(entity)) return undefined;
  while (scan.matches.length > 0 && (scan.matches.at(-1)?.start ?? -1) >= match.start) scan.matches.pop();
  const start = Math.max(match.start, scan.matches.at(-1)?.end ?? 0);
  scan.matches.push({ entity, start, end: match.end });
  scan.done = match.end;
  return match.end;
}

/** A word with letters and digits, found by its first digit: IBAN or identity number. Skipped whole. */
function scanWord(scan: Scan, digitIndex: number): number {
  const { reading } = scan;
  const { codes, length } = reading;
  let start = digitIndex;
  while (start > scan.done && isAlphanumeric(codes[start - 1] ?? 0)) start -= 1;
  let end = digitIndex + 1;
  while (end < length && isAlphanumeric(codes[end] ?? 0)) end += 1;
  return (
    take(scan, "iban", ibanAt(reading, start)) ??
    take(scan, "national_id", wordIdAt(scan, start)) ??
    take(scan, "credit_card", gluedCardAt(scan, digitIndex)) ??
    end
  );
}

function gluedCardAt({ reading }: Scan, start: number): PiiMatch | undefined {
  const end = gluedCardEnd(reading, start, isCardNumber);
  return end === 0 ? undefined : { entity: "credit_card", start, end };
}

function wordIdAt(scan: Scan, index: number): PiiMatch | undefined {
  const { reading } = scan;
  if (scan.selection.countries.size === 0) return undefined;
  // A Spanish number of a foreigner may have a dash after its first letter.
  const isBehindLetter = reading.codes[index - 1] === 0x2d && index - 2 >= scan.done && isGlued(reading, index - 2);
  // A British one may have a blank after its letters.
  const isBehindPair =
    reading.codes[index - 1] === 0x20 &&
    index - 3 >= scan.done &&
    !isGlued(reading, index - 4) &&
    isLetters(reading, index - 3) &&
    isDigit(reading.codes[index] ?? 0);
  const start = isBehindLetter ? index - 2 : isBehindPair ? index - 3 : index;
  if (isGlued(reading, start - 1)) return undefined;
  const found = wordIdFrom(scan, start);
  return found === undefined && isBehindPair ? wordIdFrom(scan, index) : found;
}

function wordIdFrom({ reading, selection }: Scan, start: number): PiiMatch | undefined {
  const text = withHyphens(readingText(reading, start, Math.min(reading.length, start + nationalIdWordMax)));
  const length = nationalIdWordLength(text, selection.countries);
  return length === 0 ? undefined : { entity: "national_id", start, end: start + length };
}

/** Whether two ASCII letters stand at a place. */
function isLetters({ codes }: Reading, start: number): boolean {
  return [codes[start], codes[start + 1]].every((code = 0) => isAlphanumeric(code) && !isDigit(code));
}

function ipv6At(scan: Scan, index: number): PiiMatch | undefined {
  const { reading } = scan;
  const { codes } = reading;
  // A run of address characters is judged once, at its first colon.
  if (index < scan.judgedColons) return undefined;
  let start = index;
  while (start > scan.done && index - start < 5 && isAddressCode(codes[start - 1] ?? 0)) start -= 1;
  // The colon of a label: `Address:2001:db8::1`.
  const isLabel = (start === index || isGlued(reading, start - 1)) && codes[index + 1] !== 0x3a;
  if (isLabel) start = index + 1;
  let end = index + 1;
  let colons = isLabel ? 0 : 1;
  while (end < reading.length && end - start < ipv6LengthMax && isAddressCode(codes[end] ?? 0)) {
    if (codes[end] === 0x3a) colons += 1;
    end += 1;
  }
  scan.judgedColons = end;
  while (end > index && (codes[end - 1] === 0x2e || (codes[end - 1] === 0x3a && codes[end - 2] !== 0x3a))) end -= 1;
  if (colons < 2 || end - start < 6 || isGlued(reading, start - 1) || isGlued(reading, end)) return undefined;
  const text = readingText(reading, start, end);
  return isIP(text) === 6 && /\d/.test(text) ? { entity: "ip_address", start, end } : undefined;
}

function isAddressCode(code: number): boolean {
  const lower = code | 0x20;
  return isDigit(code) || (lower >= 0x61 && lower <= 0x66) || code === 0x3a || code === 0x2e;
}

/** A run of digit groups: addresses, cards, identity numbers and phones in it, most certain kind first. */
function scanNumber(scan: Scan, index: number): number {
  const { reading } = scan;
  const { codes } = reading;
  if (codes[index] === 0x28) {
    const spelled = take(scan, "email", spelledEmailAt(reading, index, scan.done));
    if (spelled !== undefined) return spelled;
  }
  // Digits glued to letters are part of a word.
  if (isDigit(codes[index] ?? 0) && index > scan.done && isGlued(reading, index - 1)) return scanWord(scan, index);
  const few = fewDigitsEnd(reading, index, phoneDigitsMin);
  if (few > 0) {
    const end = few - index <= 3 ? defangedQuadEnd(reading, index, few) : 0;
    const address = take(scan, "ip_address", end === 0 ? undefined : { entity: "ip_address", start: index, end });
    // Numbers of the countries that a policy names may have letters.
    if (address !== undefined || scan.selection.countries.size === 0) {
      scan.lastNumber = address ?? few;
      return address ?? few;
    }
  }
  const word = take(scan, "national_id", wordIdAt(scan, index));
  if (word !== undefined) return word;
  const loose = looseCardEnd(reading, index, isCardNumber) || apartCardEnd(reading, index, isCardNumber);
  const card = take(scan, "credit_card", loose === 0 ? undefined : { entity: "credit_card", start: index, end: loose });
  if (card !== undefined) return card;
  const run = numberRunAt(reading, index);
  if (run.starts.length === 0) return index + 1;
  const groups =
    isGlued(reading, run.end) && !isExtension(reading, run.end) ? run.starts.length - 1 : run.starts.length;
  let group = 0;
  while (group < groups) {
    const found = numberMatch(scan, run, group);
    if (found === undefined) group += 1;
    else {
      take(scan, found.entity, found);
      while (group < run.starts.length && (run.starts[group] ?? 0) < found.end) group += 1;
    }
  }
  scan.lastNumber = run.end;
  return Math.max(run.end, scan.done, index + 1);
}

/** `x123` after a phone number. */
function isExtension(reading: Reading, index: number): boolean {
  return ((reading.codes[index] ?? 0) | 0x20) === 0x78 && isDigit(reading.codes[index + 1] ?? 0);
}

function numberMatch(scan: Scan, run: NumberRun, group: number): PiiMatch | undefined {
  const { entities, countries } = scan.selection;
  const start = run.starts[group] ?? 0;
  const address = entities.has("ip_address") ? dottedQuadEnd(run, group) : 0;
  if (address > 0) return { entity: "ip_address", start, end: address };
  const card = entities.has("credit_card")
    ? cardNumberEnd(run, group, { accepts: isCardNumber, done: scan.done }) ||
      looseCardEnd(scan.reading, start, isCardNumber)
    : 0;
  if (card > 0) {
    const phone =
      entities.has("phone_number") && isShortInternational(run, group, card) ? phoneMatch(scan, run, group) : undefined;
    return phone ?? { entity: "credit_card", start, end: card };
  }
  const id = countries.size > 0 ? idEnd(scan, run, group) : 0;
  if (id > 0) return { entity: "national_id", start, end: id };
  return entities.has("phone_number") ? phoneMatch(scan, run, group) : undefined;
}

/** Digits of the usual cards, more than phone numbers mostly have. */
const usualCardDigits = 15;

/** Whether a plus stands before digits that are fewer than usual cards have: one in ten phone numbers passes the cards' check. */
function isShortInternational({ reading: { codes }, starts }: NumberRun, group: number, end: number): boolean {
  const start = starts[group] ?? 0;
  if (codes[start - 1] !== 0x2b) return false;
  let digits = 0;
  for (let index = start; index < end; index += 1) if (isDigit(codes[index] ?? 0)) digits += 1;
  return digits < usualCardDigits;
}

/** Three groups and more with dots, as versions of programs have (`Chrome/120.0.6099.144`). */
const dotted = /^\d+(?:\.\d+){2}/;

function phoneMatch(scan: Scan, run: NumberRun, group: number): PiiMatch | undefined {
  const { codes } = run.reading;
  if (digitsFrom(run, group) < phoneDigitsMin) return undefined;
  let from = group === 0 ? run.start : (run.starts[group] ?? 0);
  // Inside a run a number begins after a wide gap, or at its own "+" or "(".
  if (group > 0) {
    const gap = from - (run.ends[group - 1] ?? 0);
    const mark = codes[from - 1] === 0x2b || codes[from - 1] === 0x28;
    if (gap < 2 && !mark && !startsNational(run, group)) return undefined;
    if (mark) from -= 1;
  }
  const text = withHyphens(readingText(run.reading, from, run.end));
  const after = readingText(run.reading, run.end, Math.min(run.reading.length, run.end + afterLength));
  const around = { hasContext: () => group === 0 && hasContext(scan, run.start), after };
  if (group === 0 && dotted.test(text) && isBehindVersionWord(run) && !around.hasContext()) return undefined;
  const length = phoneLength(text, around);
  if (length > 0) return { entity: "phone_number", start: from, end: from + length };
  // A bracket may open a remark instead of the number: "(06 12 34 56 78)".
  if (group > 0 || codes[from] !== 0x28) return undefined;
  const inside = phoneLength(text.slice(1), around);
  return inside === 0 ? undefined : { entity: "phone_number", start: from + 1, end: from + 1 + inside };
}

/** After a single space a number begins only if it looks like one by itself: a trunk zero, or three digits and a joint. */
function startsNational(run: NumberRun, group: number): boolean {
  const { codes } = run.reading;
  const start = run.starts[group] ?? 0;
  const end = run.ends[group] ?? 0;
  if (codes[start - 1] !== 0x20) return false;
  return codes[start] === 0x30 || (end - start === 3 && (codes[end] === 0x2e || isDash(codes[end] ?? 0)));
}

/** Looks at the words since the last number only, so that each word is looked at once. */
function hasContext(scan: Scan, start: number): boolean {
  const from = Math.max(scan.lastNumber, start - contextWindow, 0);
  return hasPhoneContext(readingText(scan.reading, from, start));
}

function idEnd(scan: Scan, run: NumberRun, group: number): number {
  const { reading, selection } = scan;
  const start = run.starts[group] ?? 0;
  const before = (): string => readingText(reading, Math.max(0, start - contextWindow), start);
  let digits = 0;
  let found = 0;
  for (let at = group; at < Math.min(run.starts.length, group + idGroupsMax); at += 1) {
    const end = run.ends[at] ?? 0;
    digits += end - (run.starts[at] ?? 0);
    const written = (): string => withHyphens(readingText(reading, start, end));
    if (end - start <= idLengthMax && isNationalIdNumber({ digits, written, before }, selection.countries)) found = end;
  }
  return found;
}
