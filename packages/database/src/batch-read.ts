import { Batcher } from "@gatehouse/async";

/** Keys in one statement; the pool bounds the number of statements. */
const batchBounds = { sizeMax: 500, concurrencyMax: Number.POSITIVE_INFINITY };

/**
 * Batches single-row lookups: those of one turn of the event loop share a statement.
 * @param readMany returns rows in the order of the keys; its error rejects the lookups of that statement.
 */
export function createBatchRead<Key, Row>(
  readMany: (keys: readonly Key[]) => Promise<readonly (Row | undefined)[]>,
): (key: Key) => Promise<Row | undefined> {
  const reads = new Batcher(readMany, batchBounds);
  return async (key) => await reads.submit(key);
}

/** Rows in the order of their keys. `place` counts the keys from 1, as `unnest … WITH ORDINALITY` does. */
export function placeRows<Row extends { readonly place: string }>(
  keys: readonly unknown[],
  rows: readonly Row[],
): readonly (Row | undefined)[] {
  const byPlace = new Map(rows.map((row) => [Number(row.place) - 1, row]));
  return keys.map((_, place) => byPlace.get(place));
}
