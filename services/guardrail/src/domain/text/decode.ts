import { decodeBytes, isSurelyNoText } from "./decode-bytes.ts";
import { type Decoded, readEscape, readPercentRun } from "./decode-escapes.ts";
import { type LongRows, runSearch } from "./long-rows.ts";
import { type Reading, ReadingBuilder, readingText, type Span } from "./reading.ts";
import { endOfRun, nextMarked, runKindOf } from "./runs.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";

const percent = 0x25;
const equals = 0x3d;
/** The alphabets of base64 and hex. */
const encodedRun = runKindOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_", 16);
/** By unit: 1 where an escape may begin. */
const escapeMarks = new Uint8Array(0x1_0000);
for (const char of "%&\\") escapeMarks[char.charCodeAt(0)] = 1;

/**
 * Replaces one level of base64, hex, URL, HTML and backslash encoding by what it says, where that is readable text;
 * each decoded unit stands for its whole encoded piece. Returns the same reading when nothing was encoded. Linear.
 * A caller that knows the text has no `%`, `&` or backslash, or its rows, says so. With a scratch, see there how long the reading lasts.
 */
export function decode(
  input: Reading,
  { mayHaveEscapes = true, rows }: { readonly mayHaveEscapes?: boolean; readonly rows?: LongRows | undefined } = {},
  scratch?: ScratchBuffers,
): Reading {
  const { codes, length } = input;
  const nextEscape = (from: number): number =>
    mayHaveEscapes ? nextMarked(codes, { from, length }, escapeMarks) : length;
  let escape = nextEscape(0);
  const nextEncoded = runSearch(input, encodedRun, rows);
  let run = nextEncoded(0);
  let output: ReadingBuilder | undefined;
  let copied = 0;
  while (escape < length || run < length) {
    const isEscape = escape < run;
    const start = isEscape ? escape : run;
    const piece = isEscape ? readEscapeAt(input, start) : readEncoded(input, start);
    if (piece?.text !== undefined) {
      output ??= new ReadingBuilder(length, scratch);
      output.copyRange(input, copied, piece.start);
      output.pushText(piece.text, sourceSpanOf(input, piece));
      copied = piece.end;
    }
    const next = piece?.end ?? start + 1;
    if (escape < next) escape = nextEscape(next);
    if (run < next) run = nextEncoded(next);
  }
  if (output === undefined) return input;
  output.copyRange(input, copied, length);
  return output.build();
}

/** Reads the run of encoded characters that begins at a place; one that encodes nothing stays. */
function readEncoded(input: Reading, start: number): Decoded {
  const { codes, length } = input;
  const end = endOfRun(input, start + encodedRun.lengthMin, encodedRun);
  const text = isSurelyNoText(codes, start, end) ? undefined : decodeBytes(readingText(input, start, end));
  if (text === undefined) return { text, start, end };
  let padded = end;
  while (padded < length && padded < end + 2 && codes[padded] === equals) padded += 1;
  return { text, start, end: padded };
}

function readEscapeAt(input: Reading, start: number): Decoded | undefined {
  return input.codes[start] === percent ? readPercentRun(input, start) : readEscape(input, start);
}

function sourceSpanOf({ starts, ends }: Reading, { start, end }: Span): Span {
  return { start: starts?.[start] ?? start, end: ends?.[end - 1] ?? end };
}
