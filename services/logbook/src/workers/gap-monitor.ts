import { pause } from "@gatehouse/async";
import type { Database } from "@gatehouse/database";
import type { Logger } from "@gatehouse/telemetry";
import { countMissing } from "../domain/number-gaps.ts";
import type { GapMetrics } from "../metrics.ts";
import { readGaps } from "../store/audit-numbers.ts";
import { claimSearch, endSearch, type GapSearch, giveUpSearch, readSearch } from "../store/gap-search.ts";

/** Bounds of the watch, milliseconds. */
export const gapMonitorBounds = {
  /** Interval at which one replica searches for gaps: the search reads every number. */
  searchIntervalMs: 300_000,
  /** The rest after a search, in times of what it took: a twentieth of a connection's time at most. */
  restFactor: 20,
  /** Longest time of one search; then it counts as incomplete. */
  searchTimeoutMs: 240_000,
  /** Interval at which each replica reads what the last search found, and whether the next one is due. */
  lookIntervalMs: 30_000,
  /** The age from which a search says nothing any more: those of three intervals have not ended. */
  searchAgeMaxMs: 900_000,
  /** Longest wait of a stop for a search: one that a frozen Postgres holds ends with its session. */
  stopTimeoutMs: 5_000,
} as const;

type GapMonitorBounds = { readonly [Name in keyof typeof gapMonitorBounds]: number };

/** Searches in the background for events that services have numbered and that never arrived. */
export class GapMonitor {
  readonly #database: Database;
  readonly #metrics: GapMetrics;
  readonly #log: Logger;
  readonly #bounds: GapMonitorBounds;
  readonly #stopping = new AbortController();
  #watching: Promise<void> = Promise.resolve();
  #last: GapSearch | undefined;

  constructor(database: Database, metrics: GapMetrics, log: Logger, bounds: Partial<GapMonitorBounds> = {}) {
    this.#database = database;
    this.#metrics = metrics;
    this.#log = log;
    this.#bounds = { ...gapMonitorBounds, ...bounds };
  }

  /** Waits for nothing: a search may take long. */
  start(): void {
    this.#watching = this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    const bound = new AbortController();
    await Promise.race([this.#watching, pause(this.#bounds.stopTimeoutMs, bound.signal)]);
    bound.abort();
  }

  notices(): readonly string[] {
    const { missing = new Map<string, number>() } = this.#last ?? {};
    return [...missing].map(
      ([service, count]) => `${count} audit events of ${service} are not in the log: gatehouse audit verify names them`,
    );
  }

  /** Searches where that is due, and shows what the last search found, of any replica. */
  async look(): Promise<void> {
    try {
      const turn = await claimSearch(this.#database, this.#bounds);
      if (turn !== undefined) await this.#search(turn);
      this.#show(await readSearch(this.#database, this.#bounds));
    } catch (err) {
      if (this.#stopping.signal.aborted) return;
      this.#metrics.gapSearch(false);
      this.#log.warn({ err }, "The last search for missing audit events could not be read.");
    }
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.look();
      await pause(this.#bounds.lookIntervalMs, signal);
    }
  }

  async #search(turn: string): Promise<void> {
    const { signal } = this.#stopping;
    try {
      await endSearch(
        this.#database,
        turn,
        countMissing(await readGaps(this.#database, this.#bounds.searchTimeoutMs, signal)),
      );
    } catch (err) {
      // A search that was ended with its process says nothing; the next one is another replica's.
      if (signal.aborted) return;
      this.#log.warn({ err }, "A search for missing audit events was given up.");
      await giveUpSearch(this.#database, turn);
    }
  }

  #show(search: GapSearch): void {
    const grown = [...search.missing].filter(([service, count]) => count > (this.#last?.missing.get(service) ?? 0));
    this.#last = search;
    this.#metrics.missingEvents(search.missing);
    this.#metrics.gapSearch(search.isComplete);
    if (grown.length > 0)
      this.#log.error(
        { missing: Object.fromEntries(grown) },
        "Audit events that services have numbered are missing from the log: gatehouse audit verify names them.",
      );
  }
}
