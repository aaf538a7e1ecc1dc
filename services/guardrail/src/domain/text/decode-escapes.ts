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

/** Reads one HTML entity or backslash escape at `start`, or nothing. */
export function readEscape(input: Reading, start: number): { text: string; end: number } | undefined {
  const next = input.codes[start + 1] ?? 0;
  const isBackslash = input.codes[start] === 0x5c;
  // Most ampersands and backslashes are just that.
  if (isBackslash ? next !== 0x75 && next !== 0x78 : next !== 0x23 && (next | 0x20) < 0x61) return undefined;
  if (isBackslash && next === 0x75) {
    const unit = hexNumber(input, start + 2, start + 6);
    if (unit >= 0) return { text: String.fromCharCode(unit), end: start + 6 };
  }
  const window = readingText(input, start, Math.min(start + escapeLengthMax, input.length));
  const match = escapePattern.exec(window);
  if (match === null) return undefined;
  const end = start + match[0].length;
  const name = match[3];
  if (name !== undefined) {
    const text = namedEntities[name.toLowerCase()];
    return text === undefined ? undefined : { text, end };
  }
  const hex = match[1] ?? match[4] ?? match[5] ?? match[6];
  const point = hex === undefined ? Number(match[2]) : Number.parseInt(hex, 16);
  return point > 0x10_ffff ? undefined : { text: String.fromCodePoint(point), end };
}

/** Reads a run of `%XX`, decoded together because a character may take several. */
export function readPercentRun(input: Reading, start: number): { text: string; end: number } | undefined {
  const bytes: number[] = [];
  let index = start;
  while (input.codes[index] === 0x25 && index + 2 < input.length) {
    const byte = hexByte(input.codes[index + 1] ?? 0, input.codes[index + 2] ?? 0);
    if (byte < 0) break;
    bytes.push(byte);
    index += 3;
  }
  if (bytes.length === 0) return undefined;
  const text = Buffer.from(bytes).toString("utf8");
  return text.includes("\ufffd") ? undefined : { text, end: index };
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
