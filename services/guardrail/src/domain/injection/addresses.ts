import type { Reading } from "../text/reading.ts";
import { nextUnit } from "../text/runs.ts";

/** A longer host is judged as the text that it is: instructions can be written in labels. */
const hostLengthMax = 64;
/** So is one with more hyphens and dots than ordinary hosts have. */
const hostPartsMax = 6;

const colon = 0x3a;
const slash = 0x2f;
const dot = 0x2e;
const hyphen = 0x2d;

/**
 * Ranges of the folded reading that are the scheme and host of a web address: start and end after one another, ascending. They
 * say where a thing is and not what to do with it; path and query stay, for they can carry instructions. Linear.
 */
export function addressHosts(folded: Reading): number[] {
  const ranges: number[] = [];
  const { length } = folded;
  let at = nextUnit(folded, colon, 0);
  if (at === length) return ranges;
  const units = folded.codes.subarray(0, length);
  for (; at < length; at = nextUnit(folded, colon, at + 1)) {
    if (units[at + 1] !== slash || units[at + 2] !== slash) continue;
    const start = startOfScheme(units, at);
    const end = start === undefined ? undefined : endOfHost(units, at + 3);
    if (start !== undefined && end !== undefined) ranges.push(start, end);
  }
  return ranges;
}

/** Schemes of web addresses, as they stand before the colon. */
const schemes = ["https", "http", "wss", "ws"];

function startOfScheme(units: Uint16Array, colonAt: number): number | undefined {
  const scheme = schemes.find((candidate) => endsWith(units, colonAt, candidate));
  return scheme === undefined ? undefined : colonAt - scheme.length;
}

/** Whether a word stands before a place. */
function endsWith(units: Uint16Array, end: number, word: string): boolean {
  let at = word.length;
  while (at > 0 && units[end - word.length + at - 1] === word.charCodeAt(at - 1)) at -= 1;
  return at === 0;
}

function endOfHost(units: Uint16Array, from: number): number | undefined {
  let parts = 1;
  let at = from;
  for (; at < units.length; at += 1) {
    const unit = units[at] ?? 0;
    if (unit === dot || unit === hyphen) parts += 1;
    else if (!isLabelUnit(unit)) break;
    if (parts > hostPartsMax || at - from >= hostLengthMax) return undefined;
  }
  return at === from ? undefined : at;
}

function isLabelUnit(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
}
