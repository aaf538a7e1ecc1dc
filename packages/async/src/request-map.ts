interface Holder<V> {
  value: V | undefined;
}

/**
 * A map whose entries live as long as requests, for those that are found by a key. Abandoned tables of a `Map` outlive its
 * requests (see `ArraySet`); here they only retain a key and an emptied holder.
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

  /** Removes an entry. @returns its value, if any */
  take(key: K): V | undefined {
    const holder = this.#holders.get(key);
    if (holder === undefined) return undefined;
    this.#holders.delete(key);
    const { value } = holder;
    holder.value = undefined;
    return value;
  }

  values(): readonly V[] {
    return [...this.#holders.values()].flatMap(({ value }) => value ?? []);
  }

  keys(): readonly K[] {
    return [...this.#holders.keys()];
  }
}
