import { decodeBytes } from "./decode-bytes.ts";
import { type Decoded, readEscape, readPercentRun } from "./decode-escapes.ts";
import { type Reading, ReadingBuilder, readingText, type Span } from "./reading.ts";
import { nextRun, runKindOf } from "./runs.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";

const ENCODED = 1;
const ESCAPE = 2;

/** The alphabets of base64 and hex. */
const encodedCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_";
const encodedRun = runKindOf(encodedCharacters, 16);
/** Roles of an ASCII character: a member of those alphabets, or an escape. */
const roles = buildRoles();

/**
 * Replaces one level of base64, hex, URL, HTML and backslash encoding by what it says, where that is readable text;
 * each decoded unit stands for its whole encoded piece. Returns the same reading when nothing was encoded. Linear.
 * A caller that knows the text has no `%`, `&` or backslash says so. With a scratch, see there how long the reading lasts.
 */
export function decode(input: Reading, mayHaveEscapes = true, scratch?: ScratchBuffers): Reading {
  const { codes, length } = input;
  const hasEscape = mayHaveEscapes && hasEscapes(input);
  let output: ReadingBuilder | undefined;
  let copied = 0;
  let index = hasEscape ? 0 : nextRun(input, 0, encodedRun);
  while (index < length) {
    const code = codes[index] ?? 0;
    const role = code < 0x80 ? (roles[code] ?? 0) : 0;
    if (role === 0) {
      index = hasEscape ? index + 1 : nextRun(input, index, encodedRun);
      continue;
    }
    const start = index;
    index = role === ESCAPE ? start + 1 : endOfRun(codes, start, length);
    if (role === ENCODED && index - start < encodedRun.lengthMin) continue;
    const piece = role === ESCAPE ? readEscapeAt(input, start) : readEncoded(input, start, index);
    if (piece === undefined) continue;
    index = piece.end;
    if (piece.text === undefined) continue;
    output ??= new ReadingBuilder(length, scratch);
    output.copyRange(input, copied, piece.start);
    output.pushText(piece.text, sourceSpanOf(input, piece));
    copied = piece.end;
  }
  if (output === undefined) return input;
  output.copyRange(input, copied, length);
  return output.build();
}

function hasEscapes({ codes, length }: Reading): boolean {
  const units = codes.subarray(0, length);
  return units.includes(0x25) || units.includes(0x26) || units.includes(0x5c);
}

function endOfRun(codes: Uint16Array, start: number, length: number): number {
  let index = start;
  while (index < length) {
    const code = codes[index] ?? 0;
    if (code >= 0x80 || roles[code] !== ENCODED) break;
    index += 1;
  }
  return index;
}

function readEncoded(input: Reading, start: number, end: number): Decoded | undefined {
  let padded = end;
  while (padded < input.length && padded < end + 2 && input.codes[padded] === 0x3d) padded += 1;
  const text = decodeBytes(readingText(input, start, end));
  return text === undefined ? undefined : { text, start, end: padded };
}

function readEscapeAt(input: Reading, start: number): Decoded | undefined {
  return input.codes[start] === 0x25 ? readPercentRun(input, start) : readEscape(input, start);
}

function sourceSpanOf({ starts, ends }: Reading, { start, end }: Span): Span {
  return { start: starts?.[start] ?? start, end: ends?.[end - 1] ?? end };
}

function buildRoles(): Uint8Array {
  const result = new Uint8Array(0x80);
  for (const char of encodedCharacters) result[char.charCodeAt(0)] = ENCODED;
  for (const char of "%&\\") result[char.charCodeAt(0)] = ESCAPE;
  return result;
}
