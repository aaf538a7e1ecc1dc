import type { RunExclusively } from "@gatehouse/async";
import type { SpillFolder } from "@gatehouse/spill";
import type { Logger } from "@gatehouse/telemetry";
import type { UsageRow } from "../decisions/usage-row.ts";
import { allowanceBounds } from "../decisions/bounds.ts";
import { isTransient } from "./statements.ts";
import type { FlushedLedger } from "./usage-flush.ts";
import type { UsageStore } from "./usage.ts";

interface UsageQueueOptions {
  readonly store: UsageStore;
  /** Usage rows that wait on disk. */
  readonly spill: SpillFolder<UsageRow>;
  readonly log: Logger;
  /** Called with the rows that the database has, and their ledgers, before anything else may read or write a ledger. */
  readonly onFlushed: (rows: readonly UsageRow[], ledgers: readonly FlushedLedger[]) => void;
  /** Runs work that reads or writes ledgers, one piece at a time. */
  readonly exclusively: RunExclusively;
}

/** Usage rows between the end of a call and the database: in memory, and on disk when the database stays away. */
export class UsageQueue {
  readonly #store: UsageStore;
  readonly #spill: SpillFolder<UsageRow>;
  readonly #log: Logger;
  readonly #onFlushed: UsageQueueOptions["onFlushed"];
  readonly #exclusively: UsageQueueOptions["exclusively"];
  #rows: UsageRow[] = [];
  #isSpilling = false;
  #hasStarted = false;

  constructor({ store, spill, log, onFlushed, exclusively }: UsageQueueOptions) {
    this.#store = store;
    this.#spill = spill;
    this.#log = log;
    this.#onFlushed = onFlushed;
    this.#exclusively = exclusively;
  }

  get rowsInMemory(): number {
    return this.#rows.length;
  }

  get rowsSpilled(): number {
    return this.#spill.rowCount;
  }

  /** False when further calls could not be accounted for: memory and disk are full, or the disk refuses. */
  get hasRoom(): boolean {
    const { usageRowsInMemoryMax, usageRowsSpilledMax } = allowanceBounds;
    return this.#rows.length < 2 * usageRowsInMemoryMax && this.#spill.rowCount < usageRowsSpilledMax;
  }

  add(row: UsageRow): void {
    this.#rows.push(row);
    if (this.#rows.length >= allowanceBounds.usageRowsInMemoryMax && !this.#isSpilling) void this.spillAll();
  }

  /**
   * Writes everything, spilled rows last. Never run twice at once.
   * @throws what the database says when it is away; the rows stay.
   */
  async flush(): Promise<void> {
    while (this.#rows.length > 0) await this.#flushQueued();
    if (this.#hasStarted && this.#spill.rowCount === 0) return;
    const { usageBatchRowsMax } = allowanceBounds;
    await this.#spill.replay(async (rows) => await this.#write(rows), usageBatchRowsMax, !this.#hasStarted);
    this.#hasStarted = true;
  }

  /** Moves the rows in memory to disk. */
  async spillAll(): Promise<void> {
    const rows = this.#rows;
    if (rows.length === 0) return;
    this.#isSpilling = true;
    this.#rows = [];
    try {
      await this.#spill.append(rows);
      this.#log.warn({ rows: rows.length }, "Usage rows were spilled to disk, because the database is away.");
    } catch (err) {
      this.#rows = [...rows, ...this.#rows];
      this.#log.error({ err, rows: rows.length }, "Usage rows could not be spilled to disk; they stay in memory.");
    } finally {
      this.#isSpilling = false;
    }
  }

  async #flushQueued(): Promise<void> {
    const batch = this.#rows.splice(0, allowanceBounds.usageBatchRowsMax);
    try {
      await this.#write(batch);
    } catch (err) {
      this.#rows = [...batch, ...this.#rows];
      throw err;
    }
  }

  /** A batch that the database refuses is halved until the row it refuses stands alone; that one is set aside. */
  async #write(rows: readonly UsageRow[]): Promise<void> {
    try {
      await this.#exclusively(async () => this.#onFlushed(rows, await this.#store.flush(rows)));
    } catch (err) {
      if (isTransient(err)) throw err;
      const [row] = rows;
      if (rows.length > 1 || row === undefined) {
        const half = Math.ceil(rows.length / 2);
        await this.#write(rows.slice(0, half));
        await this.#write(rows.slice(half));
        return;
      }
      this.#log.error({ err, callId: row.callId }, "The database refused a usage row; it was set aside.");
      // No ledger has its cost, so its lease goes on counting it until this process ends.
      await this.#spill.reject(row);
    }
  }
}
