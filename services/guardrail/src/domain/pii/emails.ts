import { charClasses, LETTER, WORD } from "../text/char-class.ts";
import { type Reading, readingText } from "../text/reading.ts";
import type { PiiMatch } from "./entity.ts";

const localLengthMax = 64;
const domainLengthMax = 253;
/** How far around a spelled-out `[at]` the rest of the address may reach. */
const spelledWindow = 100;

const localSigns = new Set("._%+-'".split("").map((char) => char.charCodeAt(0)));
const spelledPattern =
  /([\p{L}\p{N}][\p{L}\p{N}._%+-]{0,63})\s{0,3}[[({<]\s?at\s?[\])}>]\s{0,3}((?:[\p{L}\p{N}-]{1,63}\s{0,3}(?:[[({<]\s?(?:dot|punkt|point)\s?[\])}>]|\.)\s{0,3}){1,4})(\p{L}{2,24})(?![\p{L}\p{N}])/giu;

/** The address around the `@` at `index`, or nothing. Looks at a bounded stretch to each side. */
export function emailAt(reading: Reading, index: number): PiiMatch | undefined {
  let start = index;
  while (start > 0 && index - start < localLengthMax && isLocal(reading.codes[start - 1] ?? 0)) start -= 1;
  while (start < index && !isWord(reading.codes[start] ?? 0)) start += 1;
  const end = domainEnd(reading, index + 1);
  if (start === index || end < 0 || !isWord(reading.codes[index - 1] ?? 0)) return undefined;
  return isAddressOfCode(reading, { start, at: index, end }) ? undefined : { entity: "email", start, end };
}

/**
 * An address spelled `name [at] host [dot] org` around the bracket at `index`, or nothing. It begins at `floor` or later:
 * what lies before belongs to another match.
 */
export function spelledEmailAt(reading: Reading, index: number, floor: number): PiiMatch | undefined {
  // Code before text: most brackets hold something else.
  const next = reading.codes[index + 1] ?? 0;
  if ((next | 0x20) !== 0x61 && next !== 0x20) return undefined;
  const close = readingText(reading, index + 1, Math.min(index + 5, reading.length));
  if (!/^\s?at\s?[\])}>]/iu.test(close)) return undefined;
  const from = Math.max(floor, index - spelledWindow);
  const text = readingText(reading, from, Math.min(reading.length, index + spelledWindow));
  for (const match of text.matchAll(spelledPattern)) {
    const start = from + match.index;
    const end = start + match[0].length;
    if (start < index && index < end) return { entity: "email", start, end };
  }
  return undefined;
}

function isWord(code: number): boolean {
  return ((charClasses()[code] ?? 0) & WORD) !== 0;
}

function isLocal(code: number): boolean {
  return isWord(code) || localSigns.has(code);
}

/** Index after a host name with a dot and an alphabetic top-level domain, or -1. */
function domainEnd(reading: Reading, start: number): number {
  const limit = Math.min(reading.length, start + domainLengthMax);
  let index = start;
  let labelStart = start;
  let end = -1;
  while (index <= limit) {
    const code = index < limit ? (reading.codes[index] ?? 0) : 0;
    if (isWord(code) || code === 0x2d) {
      index += 1;
      continue;
    }
    if (index === labelStart) break;
    if (labelStart > start && isTopLevel(reading, labelStart, index)) end = index;
    if (code !== 0x2e) break;
    index += 1;
    labelStart = index;
  }
  return end;
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

/** `git@host:path` and `user:pass@host` inside a URL are addresses of machines, not of people. */
function isAddressOfCode(reading: Reading, parts: { start: number; at: number; end: number }): boolean {
  if (reading.codes[parts.end] === 0x3a && parts.at - parts.start === 3) {
    if (readingText(reading, parts.start, parts.at).toLowerCase() === "git") return true;
  }
  if (reading.codes[parts.start - 1] !== 0x3a) return false;
  return /:\/\/\S*$/u.test(readingText(reading, Math.max(0, parts.start - 80), parts.start));
}
