/** Events of a report, and the consumers that have stored all of them. */
interface StoredReport {
  readonly ids: readonly string[];
  readonly storedBy: readonly string[];
}

/**
 * Events published by this process that no consumer has reported as stored. Reports of other events are ignored: their publisher
 * waits for them.
 */
export class PendingConfirmations {
  readonly #consumers: ReadonlySet<string>;
  readonly #eventsMax: number;
  readonly #storedBy = new Map<string, Set<string>>();
  #changed = new Set<string>();

  constructor(consumers: readonly string[], eventsMax: number) {
    this.#consumers = new Set(consumers);
    this.#eventsMax = eventsMax;
  }

  /** Call before an event is published, since the report may arrive before the answer. */
  expect(ids: readonly string[]): void {
    for (const id of ids) if (!this.#storedBy.has(id)) this.#storedBy.set(id, new Set());
    for (const id of this.#storedBy.keys()) {
      if (this.#storedBy.size <= this.#eventsMax) return;
      if (!this.#changed.has(id)) this.#storedBy.delete(id);
    }
  }

  /** @returns whether there is something to write. */
  record(consumer: string, ids: readonly string[]): boolean {
    if (!this.#consumers.has(consumer)) return false;
    for (const id of ids) {
      const storedBy = this.#storedBy.get(id);
      if (storedBy === undefined || storedBy.has(consumer)) continue;
      storedBy.add(consumer);
      this.#changed.add(id);
    }
    return this.#changed.size > 0;
  }

  /** Reports since the last call, grouped by set of consumers. */
  take(): StoredReport[] {
    const reports = new Map<string, { ids: string[]; storedBy: string[] }>();
    for (const id of this.#changed) {
      const storedBy = [...(this.#storedBy.get(id) ?? [])].sort();
      const report = reports.get(storedBy.join()) ?? { ids: [], storedBy };
      report.ids.push(id);
      reports.set(storedBy.join(), report);
    }
    this.#changed = new Set();
    return [...reports.values()];
  }

  /** A taken report is in the database. */
  written({ ids, storedBy }: StoredReport): void {
    if (storedBy.length < this.#consumers.size) return;
    for (const id of ids) this.#storedBy.delete(id);
  }

  /** A taken report could not be written. */
  giveBack({ ids }: StoredReport): void {
    for (const id of ids) this.#changed.add(id);
  }
}
