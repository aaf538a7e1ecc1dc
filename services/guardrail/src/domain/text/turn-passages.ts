import { undoShift } from "./caesar.ts";
import { isSmallLatin } from "./char-class.ts";
import type { LetterStatistics } from "./letter-statistics.ts";
import type { Reading, Span } from "./reading.ts";
import { Removals } from "./removals.ts";
import { undoRepeats } from "./repeats.ts";
import { unscramble } from "./scrambled.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";

/** Places at which passages may be scrambled. */
export interface Suspects {
  /** Ascending by their starts. */
  readonly stretches: readonly Span[];
  /** Whether letters stand in an order that prose does not have, so that they may be repeated or shifted as well. */
  readonly isUnusual: boolean;
}

/** A reading with passages turned the right way. */
interface Turned {
  /** The reading as it was where nothing was turned. */
  readonly folded: Reading;
  /** Ranges of the reading as it was in which the two differ, ascending and apart; undefined where they may differ everywhere. */
  readonly turned: readonly Span[] | undefined;
}

/** Units on either side of a suspect that are looked at with it: a scrambled passage goes on there. */
const reach = 128;

/**
 * Reads letters that are repeated, shifted, rot13 or reversed the right way, around the suspects. Linear in the length. With a scratch,
 * see there how long the reading lasts.
 */
export function turnPassages(
  written: Reading,
  { stretches, isUnusual }: Suspects,
  statistics: LetterStatistics,
  scratch?: ScratchBuffers,
): Turned {
  const ranges = wordsAround(stretches, written);
  const single = isUnusual
    ? undoRepeats(written, ranges, scratch)
    : { reading: written, changed: [], removals: new Removals() };
  const shifted = isUnusual ? undoShift(single.reading, statistics, scratch) : single.reading;
  if (shifted !== single.reading) return { folded: shifted, turned: undefined };
  const { removals, changed } = single;
  const moved = ranges.map(({ start, end }) => ({ start: removals.toOutput(start), end: removals.toOutput(end) }));
  const { reading, turned } = unscramble(single.reading, statistics, moved, scratch);
  const back = turned.map(({ start, end }) => ({ start: removals.toInput(start), end: removals.toInput(end) }));
  return { folded: reading, turned: merge([...changed, ...back]) };
}

/** Whole words around stretches, apart. */
function wordsAround(stretches: readonly Span[], { codes, length }: Reading): readonly Span[] {
  const ranges: { start: number; end: number }[] = [];
  for (const stretch of stretches) {
    const last = ranges.at(-1);
    const done = last?.end ?? 0;
    let start = Math.max(0, stretch.start - reach);
    let end = Math.min(length, stretch.end + reach);
    // One word may be longer than many stretches.
    if (end <= done) continue;
    while (start > done && isSmallLatin(codes[start - 1] ?? 0)) start -= 1;
    while (end < length && isSmallLatin(codes[end] ?? 0)) end += 1;
    if (last !== undefined && start <= done) last.end = end;
    else ranges.push({ start, end });
  }
  return ranges;
}

function merge(spans: readonly Span[]): readonly Span[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of spans.toSorted((left, right) => left.start - right.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}
