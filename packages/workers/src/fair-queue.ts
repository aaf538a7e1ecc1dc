/** Most entries of a {@link FairQueue}, in all and of one tenant. */
export interface FairQueueBounds {
  readonly entriesMax: number;
  readonly entriesPerTenantMax: number;
}

/** A bounded queue that takes one entry of each tenant in turn, so that many entries of one do not delay the others. */
export class FairQueue<Entry> {
  readonly #bounds: FairQueueBounds;
  /** In the order of the tenants' turns; no list is empty. */
  readonly #entriesOf = new Map<string, Set<Entry>>();
  #size = 0;

  constructor(bounds: FairQueueBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#size;
  }

  /** False where the queue, or the tenant's part of it, is full. */
  add(tenant: string, entry: Entry): boolean {
    const entries = this.#entriesOf.get(tenant) ?? new Set<Entry>();
    if (this.#size >= this.#bounds.entriesMax || entries.size >= this.#bounds.entriesPerTenantMax) return false;
    entries.add(entry);
    this.#entriesOf.set(tenant, entries);
    this.#size += 1;
    return true;
  }

  /** Returns whether the entry was still in the queue. */
  remove(tenant: string, entry: Entry): boolean {
    const entries = this.#entriesOf.get(tenant);
    if (entries?.delete(entry) !== true) return false;
    this.#size -= 1;
    if (entries.size === 0) this.#entriesOf.delete(tenant);
    return true;
  }

  take(): Entry | undefined {
    for (const [tenant, entries] of this.#entriesOf) {
      for (const entry of entries) {
        this.remove(tenant, entry);
        // The tenant's next turn comes after the others'.
        if (this.#entriesOf.delete(tenant)) this.#entriesOf.set(tenant, entries);
        return entry;
      }
    }
    return undefined;
  }
}
