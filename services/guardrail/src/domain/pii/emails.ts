import { charClasses, LATIN, LETTER, SPACE, WORD } from "../text/char-class.ts";
import { type Reading, readingText } from "../text/reading.ts";
import type { PiiMatch } from "./entity.ts";
import { isUsualDomain } from "./spoken-emails.ts";

const localLengthMax = 64;
const domainLengthMax = 253;
/** Spaces around the brackets of a spelled-out address. */
const spelledSpacesMax = 3;
const labelLengthMax = 63;
const labelsMax = 4;
const dots = new Set(["dot", "punkt", "point"]);
const dotLengthMax = 5;

const openingBrackets = new Set("[({<".split("").map((char) => char.charCodeAt(0)));
const closingBrackets = new Set("])}>".split("").map((char) => char.charCodeAt(0)));
const quote = 0x22;
const localSigns = new Set("._%+-'".split("").map((char) => char.charCodeAt(0)));
/** The address around the `@` at `index`, or nothing. Looks at a bounded stretch to each side. */
export function emailAt(reading: Reading, index: number): PiiMatch | undefined {
  if (reading.codes[index - 1] === quote) return quotedEmailAt(reading, index);
  let start = index;
  const isLatin = isLatinOrSign(reading.codes[index - 1] ?? 0);
  while (start > 0 && index - start < localLengthMax && isLocal(reading.codes[start - 1] ?? 0)) {
    // A sentence in a script without blanks goes up to the address, but is not in it.
    if (isLatin && !isLatinOrSign(reading.codes[start - 1] ?? 0)) break;
    start -= 1;
  }
  while (start < index && !isWord(reading.codes[start] ?? 0)) start += 1;
  const end = domainEnd(reading, index + 1);
  if (start === index || end < 0 || !isWord(reading.codes[index - 1] ?? 0)) return undefined;
  return isAddressOfCode(reading, { start, at: index, end }) ? undefined : { entity: "email", start, end };
}

/** An address with a quoted name: `"ana silva"@example.org` (RFC 5322, section 3.4.1). */
function quotedEmailAt(reading: Reading, index: number): PiiMatch | undefined {
  const { codes } = reading;
  let start = index - 2;
  while (start >= 0 && index - start < localLengthMax && codes[start] !== quote && codes[start] !== 0x0a) start -= 1;
  const end = domainEnd(reading, index + 1);
  if (codes[start] !== quote || start > index - 3 || end < 0) return undefined;
  return { entity: "email", start, end };
}

/**
 * An address spelled `name [at] host [dot] org` around the bracket at `index`, or nothing. It begins at `floor` or later:
 * what lies before belongs to another match. Bounded work, whatever stands around the bracket.
 */
export function spelledEmailAt(reading: Reading, index: number, floor: number): PiiMatch | undefined {
  const behind = afterBracket(reading, index, isAt);
  if (behind < 0) return undefined;
  const start = spelledLocalStart(reading, index, floor);
  if (start < 0) return undefined;
  const end = spelledDomainEnd(reading, behind);
  return end < 0 ? undefined : { entity: "email", start, end };
}

/** Index after a bracket around a word that `accepts` takes, and spaces; -1 where there is none. */
function afterBracket(reading: Reading, index: number, accepts: (word: string) => boolean): number {
  const { codes, length } = reading;
  const start = isSpace(codes[index + 1] ?? 0) ? index + 2 : index + 1;
  let end = start;
  while (end < length && end - start < dotLengthMax && isLetter(codes[end] ?? 0)) end += 1;
  const close = isSpace(codes[end] ?? 0) ? end + 1 : end;
  if (end === start || close >= length || !closingBrackets.has(codes[close] ?? 0)) return -1;
  return accepts(readingText(reading, start, end).toLowerCase()) ? skipSpaces(reading, close + 1) : -1;
}

function isAt(word: string): boolean {
  return word === "at";
}

function isDot(word: string): boolean {
  return dots.has(word);
}

function skipSpaces({ codes, length }: Reading, from: number): number {
  let index = from;
  while (index < length && index - from < spelledSpacesMax && isSpace(codes[index] ?? 0)) index += 1;
  return index;
}

function spelledLocalStart({ codes }: Reading, bracket: number, floor: number): number {
  let end = bracket;
  while (end > floor && bracket - end < spelledSpacesMax && isSpace(codes[end - 1] ?? 0)) end -= 1;
  let start = end;
  const isLatin = isLatinOrSign(codes[end - 1] ?? 0);
  while (start > floor && end - start < localLengthMax && isLocal(codes[start - 1] ?? 0)) {
    if (isLatin && !isLatinOrSign(codes[start - 1] ?? 0)) break;
    start -= 1;
  }
  while (start < end && !isWord(codes[start] ?? 0)) start += 1;
  return start === end ? -1 : start;
}

/** End of up to four labels with dots between them, the last one of letters; -1 where there is none. */
function spelledDomainEnd(reading: Reading, from: number): number {
  const { codes } = reading;
  let start = from;
  let found = -1;
  for (let labels = 0; labels <= labelsMax; labels += 1) {
    const end = labelEnd(reading, start);
    if (end === start) return found;
    if (labels > 0 && isTopLevel(reading, start, end)) found = end;
    const next = skipSpaces(reading, end);
    const behind =
      codes[next] === 0x2e ? afterStop(reading, { end, isWhole: found >= 0 }, next) : afterDotBracket(reading, next);
    if (behind < 0) return found;
    start = behind;
  }
  return found;
}

/** End of a label, which is in one script: in a script without blanks, a sentence follows directly. */
function labelEnd({ codes, length }: Reading, start: number): number {
  const isLatin = isLatinOrSign(codes[start] ?? 0);
  let end = start;
  while (end < length && end - start < labelLengthMax && isLabel(codes[end] ?? 0)) {
    if (isLatin && !isLatinOrSign(codes[end] ?? 0)) break;
    end += 1;
  }
  return end;
}

/**
 * Index after the full stop at `stop`, behind a label that ends at `end`; -1 where it ends a sentence. With blanks it belongs to an
 * address before a usual top-level domain, or if it stands apart in one that is not whole yet.
 */
function afterStop(reading: Reading, { end, isWhole }: { end: number; isWhole: boolean }, stop: number): number {
  const behind = skipSpaces(reading, stop + 1);
  const isTight = stop === end && behind === stop + 1;
  const isApart = stop > end && !isWhole;
  return isTight || isApart || isUsualDomain(readingText(reading, behind, labelEnd(reading, behind))) ? behind : -1;
}

function afterDotBracket(reading: Reading, index: number): number {
  return openingBrackets.has(reading.codes[index] ?? 0) ? afterBracket(reading, index, isDot) : -1;
}

function isLabel(code: number): boolean {
  return isWord(code) || code === 0x2d;
}

function isLetter(code: number): boolean {
  return ((charClasses()[code] ?? 0) & LETTER) !== 0;
}

function isSpace(code: number): boolean {
  return ((charClasses()[code] ?? 0) & SPACE) !== 0;
}

function isWord(code: number): boolean {
  return ((charClasses()[code] ?? 0) & WORD) !== 0;
}

function isLocal(code: number): boolean {
  return isWord(code) || localSigns.has(code);
}

/** Whether a unit may stand in an address in Latin letters. */
function isLatinOrSign(code: number): boolean {
  const flags = charClasses()[code] ?? 0;
  return (flags & LETTER) === 0 || (flags & LATIN) !== 0;
}

/** Index after a host name with a dot and an alphabetic top-level domain, or -1. */
function domainEnd(reading: Reading, start: number): number {
  const limit = Math.min(reading.length, start + domainLengthMax);
  let index = start;
  let labelStart = start;
  let end = -1;
  const isLatin = isLatinOrSign(reading.codes[start] ?? 0);
  while (index <= limit) {
    const read = index < limit ? (reading.codes[index] ?? 0) : 0;
    // Another script begins: the sentence goes on, the address does not.
    const code = isLatin && !isLatinOrSign(read) ? 0 : read;
    if (isWord(code) || code === 0x2d) {
      index += 1;
      continue;
    }
    if (index === labelStart) break;
    if (labelStart > start) end = topLevelEnd(reading, labelStart, index) ?? end;
    if (code !== 0x2e) break;
    index += 1;
    labelStart = index;
  }
  return end;
}

/** End of the top-level domain that a label is, or that a hyphen ends: what follows (`example.org-ana`) is no part of the address. */
function topLevelEnd(reading: Reading, start: number, end: number): number | undefined {
  if (isTopLevel(reading, start, end)) return end;
  const hyphen = reading.codes.subarray(start, end).indexOf(0x2d);
  return hyphen > 0 && isTopLevel(reading, start, start + hyphen) ? start + hyphen : undefined;
}

function isTopLevel(reading: Reading, start: number, end: number): boolean {
  if (end - start < 2 || end - start > 24) return false;
  const classes = charClasses();
  for (let index = start; index < end; index += 1) {
    if (((classes[reading.codes[index] ?? 0] ?? 0) & LETTER) === 0) {
      return /^xn--[a-z0-9-]+$/i.test(readingText(reading, start, end));
    }
  }
  return true;
}

interface AddressParts {
  readonly start: number;
  readonly at: number;
  readonly end: number;
}

/** `git@host:path`, `user:pass@host` and machines' users inside a URL, and names of pictures, are no addresses of people. */
function isAddressOfCode(reading: Reading, parts: AddressParts): boolean {
  const { codes } = reading;
  // A host of SSH may have an alias: `git@github.com-work:path`.
  if (codes[labelEnd(reading, parts.end)] === 0x3a && parts.at - parts.start === 3) {
    if (readingText(reading, parts.start, parts.at).toLowerCase() === "git") return true;
  }
  if (codes[parts.at + 2] === 0x78 || codes[parts.at + 4] === 0x78) {
    if (picture.test(readingText(reading, parts.at + 1, parts.end))) return true;
  }
  const before = codes[parts.start - 1];
  if (before === slash) return isUserOfMachine(reading, parts);
  if (before !== 0x3a) return false;
  return /:\/\/\S*$/u.test(readingText(reading, Math.max(0, parts.start - urlLengthMax), parts.start));
}

const slash = 0x2f;
const urlLengthMax = 80;
/** A picture's density and the end of its file's name (`logo@2x.png`). */
const picture = /^\d(?:\.\d)?x(?:-[\w-]{1,32})?\.(?:png|jpe?g|gif|webp|svg|avif|heic|bmp|ico|tiff?|mp4|webm)$/;
/** Addresses of repositories, shells and databases: their users are accounts of machines. */
const machineScheme =
  /(?:^|[^\w+.-])(?:(?:git|svn|hg|bzr)(?:\+[a-z]{2,8})?|ssh|sftp|scp|rsync|postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|clickhouse|jdbc:[a-z]{2,16}):\/\/$/i;
const webScheme = /https?:\/\/$/i;
/** Users that programs have on the web: of repositories, and keys. */
const machineUser = /^(?:git|hg|svn|oauth2|token|(?:x-)?access-token|x-token-auth|[0-9a-f]{16,64})$/i;

/** Whether the user of a URL is no person. The user of another one (`https://ana@example.org`) may be an address written as a link. */
function isUserOfMachine(reading: Reading, { start, at }: AddressParts): boolean {
  const before = readingText(reading, Math.max(0, start - urlLengthMax), start);
  if (machineScheme.test(before)) return true;
  return webScheme.test(before) && machineUser.test(readingText(reading, start, at));
}
