import { type Reading, ReadingBuilder } from "./reading.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";

const backslash = 0x5c;
/** Blanks by the letters that JSON, and most languages, write them with behind a backslash. */
export const escapedBlanks: Readonly<Record<string, number>> = { n: 0x0a, r: 0x0d, t: 0x09 };
/** By the letter of an escaped blank: the blank, or 0. */
const blanks = new Uint8Array(0x80);
for (const [letter, blank] of Object.entries(escapedBlanks)) blanks[letter.charCodeAt(0)] = blank;

/**
 * Whether a letter is that of an escaped blank, behind which a keyword or credential may begin. It may be of a word, too, as in a path
 * (`C:\new`), or of a password, so that the readings of these keep it.
 */
export function isEscapedBlank(codes: Uint16Array, index: number): boolean {
  // Before the first unit is none: a look there makes each look slow.
  return index > 0 && codes[index - 1] === backslash && (blanks[codes[index] ?? 0] ?? 0) !== 0;
}

/**
 * The reading with a blank for each escaped one, with all backslashes that it has in strings of strings; the same reading where there
 * is none. For personal data, which has no backslashes: code, logs and pieces of JSON have escapes as JSON has. A path before it
 * (`C:\new`) may lose a letter. Linear. With a scratch, see there how long the reading lasts.
 */
export function readEscapedBlanks(reading: Reading, scratch?: ScratchBuffers): Reading {
  const { length, text } = reading;
  // Native, and most texts have none.
  if (text?.includes("\\") === false) return reading;
  const codes = reading.codes.subarray(0, length);
  let output: ReadingBuilder | undefined;
  let copied = 0;
  for (let start = codes.indexOf(backslash); start >= 0;) {
    let end = start + 1;
    while (end < length && codes[end] === backslash) end += 1;
    const blank = end < length ? (blanks[codes[end] ?? 0] ?? 0) : 0;
    if (blank !== 0) {
      output ??= new ReadingBuilder(length, scratch);
      output.copyRange(reading, copied, start);
      output.push(blank, reading.starts?.[start] ?? start, reading.ends?.[end] ?? end + 1);
      copied = end + 1;
    }
    start = codes.indexOf(backslash, end);
  }
  if (output === undefined) return reading;
  output.copyRange(reading, copied, length);
  return output.build();
}
