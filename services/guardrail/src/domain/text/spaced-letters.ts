import { charClasses, WORD } from "./char-class.ts";
import { type Reading, ReadingBuilder, type Span } from "./reading.ts";
import { Removals } from "./removals.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";

/** Fewer single letters in a row than this are initials, list marks or sums. */
const runLettersMin = 5;
/** More signs than this between two letters end the run. */
const gapMax = 4;

/** A reading with its spaced-out words joined. */
interface Joined {
  /** The input itself where nothing was joined. */
  readonly reading: Reading;
  /** The joined words, in the places of the output, ascending. */
  readonly runs: readonly Span[];
  readonly removals: Removals;
}

/**
 * Joins words written as single letters with a sign or space between them ("i g n o r e", "i.g.n.o.r.e"). Within a run
 * the first separator is the one inside words; any other gap is a space between words. Looks for runs that begin within the ranges,
 * which ascend. Linear in the length. With a scratch, see there how long the reading lasts.
 */
export function joinSpacedLetters(input: Reading, ranges: readonly Span[], scratch?: ScratchBuffers): Joined {
  const { length, codes } = input;
  const classes = charClasses();
  const runs: Span[] = [];
  const removals = new Removals();
  let output: ReadingBuilder | undefined;
  let copied = 0;
  let index = 0;
  for (const range of ranges) {
    index = Math.max(index, range.start);
    while (index < range.end) {
      // Inside a word the next unit is a word unit too: this one look settles most of a text.
      if (index + 1 < length && ((classes[codes[index + 1] ?? 0] ?? 0) & WORD) !== 0) {
        index += 1;
        continue;
      }
      if (((classes[codes[index] ?? 0] ?? 0) & WORD) === 0 || !isSingle(input, index) || !isSingle(input, index + 2)) {
        index += 1;
        continue;
      }
      const run = measureRun(input, index);
      if (run.letters >= runLettersMin) {
        output ??= new ReadingBuilder(length, scratch);
        output.copyRange(input, copied, index);
        const start = output.length;
        joinRun(input, output, { start: index, end: run.end });
        runs.push({ start, end: output.length });
        removals.add(run.end, run.end - index - (output.length - start));
        copied = run.end;
      }
      index = run.end;
    }
  }
  if (output === undefined) return { reading: input, runs, removals };
  output.copyRange(input, copied, length);
  return { reading: output.build(), runs, removals };
}

function isWordAt(input: Reading, index: number): boolean {
  if (index < 0 || index >= input.length) return false;
  return ((charClasses()[input.codes[index] ?? 0] ?? 0) & WORD) !== 0;
}

function isSingle(input: Reading, index: number): boolean {
  return isWordAt(input, index) && !isWordAt(input, index - 1) && !isWordAt(input, index + 1);
}

/** Counts the single letters from `start` on; `end` is the index after the last of them. */
function measureRun(input: Reading, start: number): { letters: number; end: number } {
  let letters = 1;
  let end = start + 1;
  for (;;) {
    let next = end;
    while (next < input.length && next - end <= gapMax && !isWordAt(input, next)) next += 1;
    if (next - end > gapMax || !isSingle(input, next)) return { letters, end };
    letters += 1;
    end = next + 1;
  }
}

function joinRun(input: Reading, output: ReadingBuilder, run: { start: number; end: number }): void {
  const separator = input.codes[run.start + 1];
  let gapStart = run.start;
  for (let index = run.start; index < run.end; index += 1) {
    if (!isWordAt(input, index)) continue;
    const gap = index - gapStart;
    if (gap > 1 || (gap === 1 && input.codes[gapStart] !== separator)) output.copy(input, gapStart, 0x20);
    output.copy(input, index, input.codes[index] ?? 0);
    gapStart = index + 1;
  }
}
