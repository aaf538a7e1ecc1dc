import { type Day, dayMs } from "./days.ts";
import { blockSpanMs } from "./log-block.ts";
import type { LogRange } from "./log-query.ts";

/**
 * Partitions of the gateway log that one statement may read. Each has several locks until its transaction ends, of a number that
 * Postgres bounds for all sessions, and takes a share of the statement's planning.
 */
const daysPerSpan = 64;

/** A part of the log by the end of its blocks, milliseconds since 1970. */
export interface LogSpan {
  /** Inclusive. */
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

/**
 * Parts of the log that may have blocks of a range, newest first, each of few partitions.
 * @param days those that have a partition, in any order
 */
export function* spansOf(days: readonly Day[], { since, until, before }: LogRange): Iterable<LogSpan> {
  // A block may end later than its entries that fit.
  const ends = [until?.getTime(), before?.atMs].flatMap((atMs) => (atMs === undefined ? [] : atMs + blockSpanMs));
  const toMs = Math.min(Infinity, ...ends);
  const fromMs = since?.getTime() ?? -Infinity;
  const starts = days.map((day) => Date.parse(day)).filter((atMs) => atMs + dayMs > fromMs && atMs <= toMs);
  starts.sort((one, other) => other - one);
  for (let at = 0; at < starts.length; at += daysPerSpan) {
    const [newest = 0, oldest = newest] = [starts[at], starts[Math.min(at + daysPerSpan, starts.length) - 1]];
    yield { fromMs: oldest, toMs: newest + dayMs };
  }
}
