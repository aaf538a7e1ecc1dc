import { isUtf8 } from "node:buffer";
import { type Reading, readingText } from "./reading.ts";

const escapeLengthMax = 12;
const escapePattern =
  /^(?:&#x([0-9a-f]{1,6});?|&#([0-9]{1,7});?|&([a-z]{2,7});|\\u\{([0-9a-f]{1,6})\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2}))/i;

/** The HTML names that spell letters of an e-mail address or an instruction. */
const namedEntities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  commat: "@",
  period: ".",
  colon: ":",
  lowbar: "_",
  hyphen: "-",
  dash: "-",
  plus: "+",
  num: "#",
  excl: "!",
  sol: "/",
  comma: ",",
  shy: "",
};

/** A piece of a reading and the text that it encodes; a piece without text stays as it is. */
export interface Decoded {
  readonly text: string | undefined;
  readonly start: number;
  /** Index after the piece. */
  readonly end: number;
}

/** Reads one HTML entity or backslash escape at `start`, or nothing. */
export function readEscape(input: Reading, start: number): Decoded | undefined {
  const next = input.codes[start + 1] ?? 0;
  const isBackslash = input.codes[start] === 0x5c;
  // Most ampersands and backslashes are just that.
  if (isBackslash ? next !== 0x75 && next !== 0x78 : next !== 0x23 && (next | 0x20) < 0x61) return undefined;
  if (isBackslash && next === 0x75) {
    const unit = hexNumber(input, start + 2, start + 6);
    if (unit >= 0) return { text: String.fromCharCode(unit), start, end: start + 6 };
  }
  const window = readingText(input, start, Math.min(start + escapeLengthMax, input.length));
  const match = escapePattern.exec(window);
  if (match === null) return undefined;
  const end = start + match[0].length;
  const name = match[3];
  if (name !== undefined) {
    const text = namedEntities[name.toLowerCase()];
    return text === undefined ? undefined : { text, start, end };
  }
  const hex = match[1] ?? match[4] ?? match[5] ?? match[6];
  const point = hex === undefined ? Number(match[2]) : Number.parseInt(hex, 16);
  return point > 0x10_ffff ? undefined : { text: String.fromCodePoint(point), start, end };
}

/**
 * Reads the run of `%XX` at a place as UTF-8, which may take several for a character: the last ones that can be read together. Where none
 * can, there is no text up to the digits of the last one, with which a run of another encoding may begin. Linear.
 */
export function readPercentRun(input: Reading, from: number): Decoded | undefined {
  let end = from;
  while (end + 2 < input.length && percentByte(input.codes, end) >= 0) end += 3;
  if (end === from) return undefined;
  const bytes = Buffer.allocUnsafe((end - from) / 3);
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = percentByte(input.codes, from + index * 3);
  const first = startOfUtf8(bytes);
  if (first === bytes.length) return { text: undefined, start: from, end: end - 2 };
  return { text: bytes.toString("utf8", first), start: from + first * 3, end };
}

/** Index of the first byte from which on all are UTF-8 without the replacement character, or the number of bytes. Linear. */
function startOfUtf8(bytes: Buffer): number {
  if (isReadable(bytes)) return 0;
  let start = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes[at] ?? 0);
    const isCharacter = at + length <= bytes.length && (length === 1 || isReadable(bytes.subarray(at, at + length)));
    at += isCharacter ? length : 1;
    if (!isCharacter) start = at;
  }
  return start;
}

function isReadable(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes("\ufffd");
}

/** Bytes of a character by its first one (RFC 3629); what can begin none is judged with the byte behind it. */
function sequenceLength(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

/** The byte that `%XX` writes at a place, or -1. */
function percentByte(codes: Uint16Array, at: number): number {
  return codes[at] === 0x25 ? hexByte(codes[at + 1] ?? 0, codes[at + 2] ?? 0) : -1;
}

/** The number that the hex digits `[start, end)` write, or -1. */
function hexNumber(input: Reading, start: number, end: number): number {
  if (end > input.length) return -1;
  let value = 0;
  for (let index = start; index < end; index += 1) {
    const digit = hexValue(input.codes[index] ?? 0);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function hexByte(high: number, low: number): number {
  const first = hexValue(high);
  const second = hexValue(low);
  return first < 0 || second < 0 ? -1 : first * 16 + second;
}

function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
