import { LRUCache } from "lru-cache";

/** Size of an entry, and a listener for those that leave. */
export interface CacheOptions<Key, Value> {
  /** A positive integer in the unit of the bound; absent: each entry is 1. */
  readonly sizeOf?: (value: Value, key: Key) => number;
  /** Runs whenever an entry is removed, for whatever reason. */
  readonly onRemoved?: (value: Value, key: Key) => void;
}

/** A cache with a bound: the entries that were not used for longest go first. It takes memory as it fills, whatever the bound. */
export class BoundedCache<
  Key extends string | number,
  Value extends object | string | number | boolean,
> extends LRUCache<Key, Value> {
  constructor(sizeMax: number, { sizeOf = () => 1, onRemoved }: CacheOptions<Key, Value> = {}) {
    // A number of entries (`max`) has tables of that length laid out at once; sizes have tables that grow.
    super({ maxSize: sizeMax, sizeCalculation: sizeOf, ...(onRemoved === undefined ? {} : { dispose: onRemoved }) });
  }
}
