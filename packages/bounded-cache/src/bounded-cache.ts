import { LRUCache } from "lru-cache";

/** Options of a {@link BoundedCache}: the unit of its bound, and a listener for removals. */
export interface CacheOptions<Key, Value> {
  /** A positive integer in the unit of the bound; absent: each entry counts 1. */
  readonly sizeOf?: (value: Value, key: Key) => number;
  /** Called for every removed entry. */
  readonly onRemoved?: (value: Value, key: Key) => void;
}

/** A bounded cache that evicts the least recently used entries. Its memory grows with its entries, not with the bound. */
export class BoundedCache<
  Key extends string | number,
  Value extends object | string | number | boolean,
> extends LRUCache<Key, Value> {
  constructor(sizeMax: number, { sizeOf = () => 1, onRemoved }: CacheOptions<Key, Value> = {}) {
    // lru-cache allocates tables of the whole length for a number of entries (`max`), and growing ones for sizes.
    super({ maxSize: sizeMax, sizeCalculation: sizeOf, ...(onRemoved === undefined ? {} : { dispose: onRemoved }) });
  }
}
