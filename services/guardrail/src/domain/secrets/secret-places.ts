import { isEscapedBlank } from "../text/escaped-blanks.ts";
import { rowKind } from "../text/long-rows.ts";
import type { Reading } from "../text/reading.ts";
import { placeMask, prefixPlace, type SecretFormats } from "./compile-formats.ts";

/** Where a scan for credentials is. */
export interface Place {
  readonly reading: Reading;
  readonly formats: SecretFormats;
  /** The next long row from a place on, or the end. */
  readonly nextRow: (from: number) => number;
  /** End of the last credential that was passed: a word may begin there. */
  readonly behind: number;
}

/** Kinds of values that a character may begin or be the middle of. */
export const WORD = 1;
export const COLON = 2;
export const DASH = 3;
const EQUALS = 4;
export const ANCHOR = 5;
export const TILDE = 6;
const kinds = buildKinds();
/** By unit: 1 for the kinds besides words. */
const signs = kinds.map((kind) => (kind > WORD ? 1 : 0));

/** Kind of a unit; 0 for most. */
export function kindAt(codes: Uint16Array, index: number): number {
  return kinds[codes[index] ?? 0] ?? 0;
}

/** Whether all credentials of issuers stand in long rows. Private keys are found by a line. */
export function areInRows({ codes, length, text }: Reading): boolean {
  if (text !== undefined) return !text.includes(keyWord) || !text.includes(keyLine);
  return !Buffer.from(codes.buffer, codes.byteOffset, length * 2).includes(keyLine, 0, "utf16le");
}

/** Word at the beginning of the first line of a private key, which is rarer than dashes are. */
const keyWord = "BEGIN";
const keyLine = `-----${keyWord}`;

/** The next sign, or beginning of a word with which a credential may begin, from a place on; or the end. */
export function nextPlaceAnywhere(scan: Place, from: number): number {
  const { codes, length } = scan.reading;
  const { beginnings } = scan.formats;
  let place = prefixPlace(0, codes[from] ?? 0, codes[from + 1] ?? 0);
  for (let index = from; index < length; index += 1) {
    place = ((place << 5) | ((codes[index + 2] ?? 0) & 31)) & placeMask;
    const isSign = signs[codes[index] ?? 0] ?? 0;
    if (((beginnings[place] ?? 0) | isSign) === 0) continue;
    if (isSign !== 0 || isWordBeginning(scan, index)) return index;
  }
  return length;
}

/** A next place as above that stands in a long row. */
export function nextPlaceInRows(scan: Place, from: number): number {
  const { codes, length } = scan.reading;
  const { beginnings } = scan.formats;
  let index = from;
  while (index < length) {
    const code = codes[index] ?? 0;
    const row = rowKind.members[code] === 0 || index === 0 ? scan.nextRow(index) : index;
    if (row > index) {
      index = row;
      continue;
    }
    const place = prefixPlace(code, codes[index + 1] ?? 0, codes[index + 2] ?? 0);
    if (signs[code] !== 0 || (beginnings[place] !== 0 && isWordBeginning(scan, index))) return index;
    index += 1;
  }
  return length;
}

/** Whether a word begins at a unit: behind something else, an escaped blank of JSON or a credential. */
function isWordBeginning({ reading: { codes }, behind }: Place, index: number): boolean {
  if (kinds[codes[index] ?? 0] !== WORD) return false;
  return index === behind || kinds[codes[index - 1] ?? 0] !== WORD || isEscapedBlank(codes, index - 1);
}

function buildKinds(): Uint8Array {
  const result = new Uint8Array(0x1_0000);
  for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    result[char.charCodeAt(0)] = WORD;
  result[0x3a] = COLON;
  result[0x2d] = DASH;
  result[0x3d] = EQUALS;
  result[0x3e] = EQUALS;
  result[0x2e] = ANCHOR;
  result[0x5f] = ANCHOR;
  result[0x7e] = TILDE;
  return result;
}
