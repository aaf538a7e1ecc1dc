import { charClasses, DIGIT, LATIN, SPACE } from "../text/char-class.ts";
import { type Reading, readingText } from "../text/reading.ts";

/** A run of digit groups with separators between them, such as a phone number, a card or a date. */
export interface NumberRun {
  readonly reading: Reading;
  readonly start: number;
  /** Index after the last digit. */
  readonly end: number;
  /** Start of each digit group, as an index in the reading. */
  readonly starts: readonly number[];
  /** End of each digit group. */
  readonly ends: readonly number[];
}

const groupsMax = 24;
const runLengthMax = 80;

/** Hyphens, dashes and minus as typesetters and word processors put them between digits, which NFKC leaves; the Japanese long vowel mark, too. */
const dashes = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u30fc";
const dashCodes = new Set(Array.from(dashes, (char) => char.charCodeAt(0)));
const dashPattern = new RegExp(`[${dashes}]`, "gu");
/** Costs a tenth of a replacement that finds nothing. */
const anyDash = new RegExp(`[${dashes}]`, "u");

/** The text with a hyphen for each dash, as formats have them. As long as the text. */
export function withHyphens(text: string): string {
  return anyDash.test(text) ? text.replaceAll(dashPattern, "-") : text;
}

/** Whether a unit is a hyphen, or a dash that stands for one between digits. */
export function isDash(code: number): boolean {
  return code === 0x2d || (code >= 0x80 && dashCodes.has(code));
}

/** Space, hyphen, dot, brackets, plus, slash, and dashes. */
const separators = new Set(Array.from(` -.()+/${dashes}`, (char) => char.charCodeAt(0)));

/** Reads the run that starts at `start` (a digit, `+` or `(`). Bounded: a longer run is read piece by piece. */
export function numberRunAt(reading: Reading, start: number): NumberRun {
  const { codes } = reading;
  const starts: number[] = [];
  const ends: number[] = [];
  const limit = Math.min(reading.length, start + runLengthMax);
  let index = start;
  let end = start;
  while (index < limit && starts.length < groupsMax) {
    const code = codes[index] ?? 0;
    if (isDigit(code)) {
      starts.push(index);
      while (index < limit && isDigit(codes[index] ?? 0)) index += 1;
      ends.push(index);
      end = index;
    } else if (index - end < 3 && separators.has(code)) index += 1;
    else break;
  }
  return { reading, start, end, starts, ends };
}

/** Separators of groups, of loose cards among them: behind digits and one to three of these, a number may go on. */
const joints = new Uint8Array(0x80);
for (const code of [...separators, ...Array.from("_,\r\n", (char) => char.charCodeAt(0))]) {
  if (code < 0x80) joints[code] = 1;
}
const jointsMax = 3;

/** End of fewer than `digitsMin` digits that stand by themselves at `index`, or 0: most numbers of a text, and none of the values. */
export function fewDigitsEnd(reading: Reading, index: number, digitsMin: number): number {
  const { codes } = reading;
  let end = index;
  while (end - index < digitsMin && isDigit(codes[end] ?? 0)) end += 1;
  return end - index < digitsMin && end > index && !isNumberAhead(reading, end) ? end : 0;
}

/** Whether digits follow at `index`, behind a few separators at most. */
function isNumberAhead({ codes, length }: Reading, index: number): boolean {
  for (let at = index; at < length && at - index <= jointsMax; at += 1) {
    const code = codes[at] ?? 0;
    if (isDigit(code)) return true;
    // Dashes outside ASCII are separators, too.
    if (code >= 0x80) return separators.has(code);
    if (joints[code] === 0) return false;
  }
  return false;
}

/** An ASCII digit, by its code unit. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** An ASCII letter or digit. */
export function isAlphanumeric(code: number): boolean {
  const lower = code | 0x20;
  return isDigit(code) || (lower >= 0x61 && lower <= 0x7a);
}

/**
 * Whether a unit glues a number to its word: Latin letters, digits and the underscore do. Letters of other scripts do not:
 * identifiers are not written in them, and many put no blank before a number.
 */
export function isGlued(reading: Reading, index: number): boolean {
  if (index < 0 || index >= reading.length) return false;
  const code = reading.codes[index] ?? 0;
  return code === 0x5f || ((charClasses()[code] ?? 0) & (LATIN | DIGIT)) !== 0;
}

/** Digits of the groups from `first` on. */
export function digitsFrom(run: NumberRun, first: number): number {
  let digits = 0;
  for (let group = first; group < run.starts.length; group += 1)
    digits += (run.ends[group] ?? 0) - (run.starts[group] ?? 0);
  return digits;
}

/** End of the dotted quad that starts with group `group`, or 0. A fifth dotted group makes it a version instead. */
export function dottedQuadEnd(run: NumberRun, group: number): number {
  const { codes } = run.reading;
  const start = run.starts[group] ?? 0;
  const end = run.ends[group + 3];
  if (end === undefined || end - start > 15 || codes[start - 1] === 0x2e) return 0;
  // A full stop after the last group ends a sentence; a digit behind it makes a longer number.
  if (codes[end] === 0x2e && isDigit(codes[end + 1] ?? 0)) return 0;
  const parts = quadOf(run, group);
  return parts === undefined || namesNoHost(parts) || isVersion(run, group, parts) ? 0 : end;
}

type Quad = readonly [number, number, number, number];

/** The parts of a dotted quad, if they are parted by single dots, have no leading zeros and are bytes. */
function quadOf({ reading: { codes }, starts, ends }: NumberRun, group: number): Quad | undefined {
  const quad: [number, number, number, number] = [0, 0, 0, 0];
  for (let part = 0; part < 4; part += 1) {
    const from = starts[group + part] ?? 0;
    const to = ends[group + part] ?? 0;
    if (part > 0 && (from - (ends[group + part - 1] ?? 0) !== 1 || codes[from - 1] !== 0x2e)) return undefined;
    if (to - from > 3 || (to - from > 1 && codes[from] === 0x30)) return undefined;
    let value = 0;
    for (let index = from; index < to; index += 1) value = value * 10 + (codes[index] ?? 0) - 0x30;
    if (value > 255) return undefined;
    quad[part] = value;
  }
  return quad;
}

/** This host, all hosts, none: addresses without an owner. */
function namesNoHost([first, second, third, fourth]: Quad): boolean {
  return first === 127 || (first === 255 && second === 255) || (first | second | third | fourth) === 0;
}

const versionWord = /(?:version|release|firmware|build|\bver|\bv|\boid|§)[\s:=./]{0,3}$/i;
/** A name and a slash stand before the versions of programs, and before addresses where a log names whose they are (`client/203.0.113.7`). */
const slashWord = /[A-Za-z]\/[\s:=.]{0,3}$/;
const ownerWord = /\b(?:hosts?|client|peer|server|remote|proxy|gateway|node|addr(?:ess)?|ip|user|src|dst|from|to)\/$/i;
/** Versions of programs have one part of three digits at most (`Chrome/120.0.0.0`). */
const noSlashedVersion = /(?:\b\d{3}\b.*){2}/;
/** Programs whose versions have four parts. Their names stand before addresses as well, as where a log names who sent a line. */
const productWord =
  /\b(?:postgres(?:ql)?|mysql|mariadb|oracle|sqlite|redis|mongodb|kafka|nginx|apache|tomcat|python|java|jdk|php|ruby|openssl|chrome|firefox|edge|safari|android|ios|macos|ubuntu|debian|sdk)[ /]$/i;
/** A private network, or a part of three digits, as private networks other than 10. have and versions of such programs have not. */
const noProductVersion = /^10\.|\d{3}/;
const addressWord = /(?:\bip\b|\bipv4|addr|host|server|ping|\/\/|@|\bdns|gateway|subnet|netz)[^\n]{0,24}$/i;
const contextLength = 32;

/** Whether a letter or slash stands before a place and at most three of the marks that may follow a word for versions. */
function mayEndVersionWord(codes: Uint16Array, start: number): boolean {
  for (let back = 1; back <= 4; back += 1) {
    const code = codes[start - back] ?? 0;
    if (code === 0x2f || (code | 0x20) >= 0x61) return true;
    if (isDigit(code)) return false;
  }
  return false;
}

/** Whether a word for versions, a name and a slash, or a usual program stands directly before a place. */
export function isBehindVersionWord({ reading, start }: Pick<NumberRun, "reading" | "start">): boolean {
  if (!mayEndVersionWord(reading.codes, start)) return false;
  const before = readingText(reading, Math.max(0, start - contextLength), start);
  return versionWord.test(before) || slashWord.test(before) || productWord.test(before);
}

/** A dotted number behind a word for versions, or of small parts. */
function isVersion({ reading, starts, ends }: NumberRun, group: number, quad: Quad): boolean {
  const start = starts[group] ?? 0;
  const from = Math.max(0, start - contextLength);
  if (mayEndVersionWord(reading.codes, start)) {
    const before = readingText(reading, from, start);
    const text = readingText(reading, start, ends[group + 3] ?? start);
    if (versionWord.test(before)) return true;
    if (slashWord.test(before)) return !isSlashedAddress(before, text);
    if (productWord.test(before) && !noProductVersion.test(text)) return true;
  }
  return (
    hasSmallParts(quad) && !(hasWords(reading, from, start) && addressWord.test(readingText(reading, from, start)))
  );
}

/** Numbers of sections and identifiers of objects have small parts; well-known addresses that do (8.8.8.8) repeat them. */
function hasSmallParts([first, second, third, fourth]: Quad): boolean {
  if (first > 9 || second > 99 || third > 99 || fourth > 99) return false;
  return second !== first && (second | third) !== 0;
}

/** Whether there is anything in a range but blanks, digits and dots. */
function hasWords({ codes }: Reading, start: number, end: number): boolean {
  const classes = charClasses();
  for (let index = start; index < end; index += 1) {
    const code = codes[index] ?? 0;
    if (!isDigit(code) && code !== 0x2e && ((classes[code] ?? 0) & SPACE) === 0) return true;
  }
  return false;
}

/** Whether a dotted number behind a name and a slash is an address. */
function isSlashedAddress(before: string, text: string): boolean {
  return noSlashedVersion.test(text) || (ownerWord.test(before) && noProductVersion.test(text));
}

/** Rules by which digits are a card number, and the end of the text that is already explained. */
export interface CardRules {
  readonly accepts: (digits: string) => boolean;
  /** Index after the last match: a number may begin right behind it. */
  readonly done: number;
}

/**
 * End of the shortest card number from group `group` on, or 0. Luhn sums go along. A piece of a longer number in groups
 * of one size does not count, unless the month and year of expiry, or another card number, follow it.
 */
export function cardNumberEnd(run: NumberRun, group: number, { accepts, done }: CardRules): number {
  const { codes } = run.reading;
  const first = run.starts[group] ?? 0;
  const size = (run.ends[group] ?? 0) - first;
  // The fraction of a number.
  if (size >= 12 && codes[first - 1] === 0x2e && isDigit(codes[first - 2] ?? 0)) return 0;
  if (size < 2 || (first - 1 > done && goesOnFrom(codes, first, size))) return 0;
  let count = 0;
  let even = 0;
  let odd = 0;
  for (let at = group; at < Math.min(run.starts.length, group + 8); at += 1) {
    const from = run.starts[at] ?? 0;
    const to = run.ends[at] ?? 0;
    if (at > group && !isCardGap(run, at)) return 0;
    if (count + to - from > 19) return 0;
    for (let index = from; index < to; index += 1) {
      const digit = (codes[index] ?? 0) - 0x30;
      const doubled = digit > 4 ? digit * 2 - 9 : digit * 2;
      even += count % 2 === 0 ? doubled : digit;
      odd += count % 2 === 0 ? digit : doubled;
      count += 1;
    }
    const passes = count >= 12 && (count % 2 === 0 ? even : odd) % 10 === 0;
    if (passes && accepts(digitsOf(run, group, at)) && isWholeNumber(run, at, accepts)) return to;
  }
  return 0;
}

const defangedLengthMax = 27;
const defangedFormat = /^(\d{1,3})\[\.\](\d{1,3})(?:\[\.\]|\.)(\d{1,3})(?:\[\.\]|\.)(\d{1,3})(?!\w|\.\d)/;

/** End of an address whose dots stand in brackets, as in reports about attackers (`192[.]0[.]2[.]1`), or 0. */
export function defangedQuadEnd(reading: Reading, start: number, firstEnd: number): number {
  const { codes } = reading;
  if (codes[firstEnd] !== 0x5b || codes[firstEnd + 1] !== 0x2e || isGlued(reading, start - 1)) return 0;
  const text = readingText(reading, start, Math.min(reading.length, start + defangedLengthMax + 1));
  const match = defangedFormat.exec(text);
  const isAddress = match?.slice(1).every((part) => Number(part) <= 255 && !/^0\d/.test(part)) === true;
  return match !== null && isAddress ? start + match[0].length : 0;
}

/** Whether a group of `size` digits and a single separator stand before `first`. */
function goesOnFrom(codes: Uint16Array, first: number, size: number): boolean {
  if (!isCardGapCode(codes[first - 1] ?? 0)) return false;
  for (let back = 2; back <= size + 1; back += 1) if (!isDigit(codes[first - back] ?? 0)) return false;
  return !isDigit(codes[first - size - 2] ?? 0);
}

/** Whether a number that may end with group `last` does: no group of the same size goes on with it. */
function isWholeNumber(run: NumberRun, last: number, accepts: CardRules["accepts"]): boolean {
  const next = last + 1;
  const from = run.starts[next];
  const to = run.ends[next];
  if (from === undefined || to === undefined || !isCardGap(run, next)) return true;
  if (to - from !== (run.ends[last] ?? 0) - (run.starts[last] ?? 0)) return true;
  if (isExpiry(readingText(run.reading, from, to)) && !isCardGap(run, next + 1, to - from)) return true;
  return cardNumberEnd(run, next, { accepts, done: from }) > 0;
}

/** Month and year as cards have them: 0129. */
function isExpiry(digits: string): boolean {
  return /^(?:0[1-9]|1[0-2])[2-4]\d$/.test(digits);
}

/** Whether one separator stands before a group, and the group has at least `size` digits. */
function isCardGap(run: NumberRun, group: number, size = 0): boolean {
  const start = run.starts[group];
  if (start === undefined || start - (run.ends[group - 1] ?? 0) !== 1) return false;
  return isCardGapCode(run.reading.codes[start - 1] ?? 0) && size <= (run.ends[group] ?? 0) - start;
}

function isCardGapCode(code: number): boolean {
  return code === 0x20 || code === 0x2e || isDash(code);
}

function digitsOf(run: NumberRun, first: number, last: number): string {
  let digits = "";
  for (let group = first; group <= last; group += 1) {
    digits += readingText(run.reading, run.starts[group] ?? 0, run.ends[group] ?? 0);
  }
  return digits;
}
