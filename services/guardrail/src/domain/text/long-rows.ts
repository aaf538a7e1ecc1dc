import type { Reading } from "./reading.ts";
import { endOfRun, nextRun, type RunKind, runKindOf } from "./runs.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";

/**
 * Characters of credentials that their own form gives away, and the fewest that one has; those of encodings are among them. Texts have
 * few such rows, which are looked for once.
 */
export const rowKind = runKindOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_.~-%$!@:", 15);

/** Rows of a reading, ascending and apart. */
export interface LongRows {
  /** Where each begins and ends, one after the other. */
  readonly places: Int32Array;
  readonly count: number;
}

/** All rows of a reading. Linear. With a scratch, see there how long they last. */
export function longRowsOf(reading: Reading, scratch?: ScratchBuffers): LongRows {
  const most = 2 * Math.ceil(reading.length / rowKind.lengthMin);
  const places = scratch?.numbersOf("rows", most) ?? new Int32Array(most);
  let count = 0;
  for (let start = nextRun(reading, 0, rowKind); start < reading.length; count += 1) {
    const end = endOfRun(reading, start + rowKind.lengthMin, rowKind);
    places[count * 2] = start;
    places[count * 2 + 1] = end;
    start = nextRun(reading, end, rowKind);
  }
  return { places, count };
}

/**
 * A search for runs of characters that are among those of rows: where the next one begins from a place on, which ascends from call to
 * call, or the end. In the whole reading where its rows are not known.
 */
export function runSearch(reading: Reading, kind: RunKind, rows: LongRows | undefined): (from: number) => number {
  if (rows === undefined) return (from) => nextRun(reading, from, kind);
  const { codes, length, starts, ends } = reading;
  let row = 0;
  return (from) => {
    for (; row < rows.count; row += 1) {
      const end = rows.places[row * 2 + 1] ?? 0;
      if (end - kind.lengthMin < from) continue;
      const start = Math.max(from, rows.places[row * 2] ?? 0);
      const found = nextRun({ codes, length: end, starts, ends }, start, kind);
      if (found < end) return found;
    }
    return length;
  };
}
