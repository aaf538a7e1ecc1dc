interface Holder<V> {
  value: V | undefined;
}

/**
 * A map whose entries come and go with requests, for those that are found by a key. What a `Map` has grown out of outlives its
 * requests (see `ArraySet`); here that is no more than a key and a holder that has been emptied.
 */
export class RequestMap<K, V extends object> {
  readonly #holders = new Map<K, Holder<V>>();

  get size(): number {
    return this.#holders.size;
  }

  get(key: K): V | undefined {
    return this.#holders.get(key)?.value;
  }

  has(key: K): boolean {
    return this.#holders.has(key);
  }

  set(key: K, value: V): void {
    const holder = this.#holders.get(key);
    if (holder === undefined) this.#holders.set(key, { value });
    else holder.value = value;
  }

  /** Takes an entry out. @returns its value, where there was one */
  take(key: K): V | undefined {
    const holder = this.#holders.get(key);
    if (holder === undefined) return undefined;
    this.#holders.delete(key);
    const { value } = holder;
    holder.value = undefined;
    return value;
  }

  /** The keys of this moment. */
  keys(): readonly K[] {
    return [...this.#holders.keys()];
  }
}
