import { Batcher } from "@gatehouse/async";

/** Keys in one statement; the number of statements is bounded by the pool. */
const batchBounds = { sizeMax: 500, concurrencyMax: Number.POSITIVE_INFINITY };

/**
 * Makes many questions for one row each into few statements: all questions of one turn of the event loop go together.
 * @param readMany answers at each key's place; what it throws rejects the questions of that statement.
 */
export function createBatchRead<Key, Row>(
  readMany: (keys: readonly Key[]) => Promise<readonly (Row | undefined)[]>,
): (key: Key) => Promise<Row | undefined> {
  const reads = new Batcher(readMany, batchBounds);
  return async (key) => await reads.submit(key);
}

/** Rows at the places of their keys. `place` counts the statement's keys from 1, as `unnest … WITH ORDINALITY` does. */
export function placeRows<Row extends { readonly place: string }>(
  keys: readonly unknown[],
  rows: readonly Row[],
): readonly (Row | undefined)[] {
  const byPlace = new Map(rows.map((row) => [Number(row.place) - 1, row]));
  return keys.map((_, place) => byPlace.get(place));
}
