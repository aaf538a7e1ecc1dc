import { randomUUID } from "node:crypto";
import type { RunExclusively } from "@gatehouse/async";
import type { SpillFolder } from "@gatehouse/spill";
import type { Logger } from "@gatehouse/telemetry";
import { allowanceBounds } from "../decisions/bounds.ts";
import type { SpilledUsageRow, UsageRow } from "../decisions/usage-row.ts";
import type { FlushedLedger, UsageBatch } from "../ledger/usage-flush.ts";
import type { UsageStore } from "../ledger/usage.ts";
import { isRefusedRow } from "../transient.ts";

interface UsageQueueOptions {
  readonly store: UsageStore;
  readonly spill: SpillFolder<SpilledUsageRow>;
  readonly log: Logger;
  /** Called with the stored rows and their ledgers, before any other access to a ledger. */
  readonly onFlushed: (rows: readonly UsageRow[], ledgers: readonly FlushedLedger[]) => void;
  /** Runs work that reads or writes ledgers, one piece at a time. */
  readonly exclusively: RunExclusively;
}

/** Usage rows between the end of a call and the database: in memory, and on disk during a long outage of the database. */
export class UsageQueue {
  readonly #store: UsageStore;
  readonly #spill: SpillFolder<SpilledUsageRow>;
  readonly #log: Logger;
  readonly #onFlushed: UsageQueueOptions["onFlushed"];
  readonly #exclusively: UsageQueueOptions["exclusively"];
  /** Rows not yet in a batch. */
  #rows: UsageRow[] = [];
  /** Batches that may have been written; they stay unchanged, so that no row is written in two blocks. */
  #tried: UsageBatch[] = [];
  /** The spilling under way. */
  #spilling: Promise<void> | undefined;
  /** Number of rows in memory that starts a spill to disk; raised after a failure of the disk. */
  #spillFrom: number = allowanceBounds.usageRowsInMemoryMax;
  #hasStarted = false;

  constructor({ store, spill, log, onFlushed, exclusively }: UsageQueueOptions) {
    this.#store = store;
    this.#spill = spill;
    this.#log = log;
    this.#onFlushed = onFlushed;
    this.#exclusively = exclusively;
  }

  get rowsInMemory(): number {
    return this.#rows.length + countRows(this.#tried);
  }

  get rowsSpilled(): number {
    return this.#spill.rowCount;
  }

  /** False when further calls could not be accounted for: memory and disk are full, or the disk fails. */
  get hasRoom(): boolean {
    const { usageRowsInMemoryMax, usageRowsSpilledMax } = allowanceBounds;
    return this.rowsInMemory < 2 * usageRowsInMemoryMax && this.#spill.rowCount < usageRowsSpilledMax;
  }

  add(row: UsageRow): void {
    this.#rows.push(row);
    if (this.rowsInMemory >= this.#spillFrom && this.#spilling === undefined) void this.spillAll();
  }

  /** Writes everything, spilled rows last. Must not run twice at once. @throws the database's error when it is away; the rows stay. */
  async flush(): Promise<void> {
    while (this.rowsInMemory > 0) await this.#flushQueued();
    await this.#replay();
  }

  /** As {@link flush}, for the rows that wait now, without rows that arrive meanwhile. */
  async flushDue(): Promise<void> {
    for (let left = this.rowsInMemory; left > 0 && this.rowsInMemory > 0;) left -= await this.#flushQueued();
    await this.#replay();
  }

  async #replay(): Promise<void> {
    if (this.#hasStarted && this.#spill.rowCount === 0) return;
    const { usageBatchRowsMax } = allowanceBounds;
    const write = async (rows: readonly SpilledUsageRow[]) => {
      for (const batch of toBatches(rows)) await this.#write(batch);
    };
    await this.#spill.replay(write, usageBatchRowsMax, !this.#hasStarted);
    this.#hasStarted = true;
  }

  /** Moves the rows in memory to disk, after those already being spilled. Never rejects. */
  async spillAll(): Promise<void> {
    while (this.#spilling !== undefined) await this.#spilling;
    this.#spilling = this.#spillRows().finally(() => (this.#spilling = undefined));
    await this.#spilling;
  }

  async #spillRows(): Promise<void> {
    const batches = this.#tried;
    for (let batch = this.#takeRows(); batch !== undefined; batch = this.#takeRows()) batches.push(batch);
    if (batches.length === 0) return;
    this.#tried = [];
    const rows = batches.flatMap(({ block, isSplit, rows: some }) =>
      some.map((row): SpilledUsageRow => ({ ...row, block, isSplit })),
    );
    try {
      await this.#spill.append(rows);
      this.#spillFrom = allowanceBounds.usageRowsInMemoryMax;
      this.#log.warn({ rows: rows.length }, "Usage rows were spilled to disk, because the database is not available.");
    } catch (err) {
      this.#tried = [...batches, ...this.#tried];
      // A retry for each further row would rewrite everything each time.
      this.#spillFrom = this.rowsInMemory + allowanceBounds.usageRowsInMemoryMax / 10;
      this.#log.error({ err, rows: rows.length }, "Usage rows could not be spilled to disk; they stay in memory.");
    }
  }

  /** @returns number of rows written */
  async #flushQueued(): Promise<number> {
    const batch = this.#tried.shift() ?? this.#takeRows();
    if (batch === undefined) return 0;
    try {
      await this.#write(batch);
      this.#spillFrom = allowanceBounds.usageRowsInMemoryMax;
      return batch.rows.length;
    } catch (err) {
      this.#tried.unshift(batch);
      // A full queue refuses calls, so no new row would start the next spill to disk.
      if (!this.hasRoom && this.#spilling === undefined) void this.spillAll();
      throw err;
    }
  }

  /** Rows at the head of the queue for one block, or for separate writing. */
  #takeRows(): UsageBatch | undefined {
    const isFinal = this.#rows[0]?.isFinal === true;
    const end = this.#rows.findIndex((row) => (row.isFinal === true) !== isFinal);
    const { usageBatchRowsMax } = allowanceBounds;
    const rows = this.#rows.splice(0, end < 0 ? usageBatchRowsMax : Math.min(end, usageBatchRowsMax));
    return rows.length === 0 ? undefined : { block: isFinal ? randomUUID() : undefined, rows };
  }

  /** Writes a batch. Rows of a refused block are halved until the refused row is alone, and that row is rejected. */
  async #write(batch: UsageBatch): Promise<void> {
    const { block, rows } = batch;
    try {
      await this.#exclusively(async () => this.#onFlushed(rows, await this.#store.flush(batch)));
    } catch (err) {
      if (!isRefusedRow(err)) throw err;
      const [row] = rows;
      if (block !== undefined && batch.isSplit !== true) {
        // Kept with the batch: its rows may be read from disk in other groups, which must not be taken for a block.
        batch.isSplit = true;
        await this.#write(batch);
        return;
      }
      if (rows.length > 1 || row === undefined) {
        const half = Math.ceil(rows.length / 2);
        await this.#write({ ...batch, rows: rows.slice(0, half) });
        await this.#write({ ...batch, rows: rows.slice(half) });
        return;
      }
      this.#log.error({ err, call_id: row.callId }, "The database refused a usage row; it was set aside.");
      // No ledger has its cost, so its lease counts it until this process ends.
      await this.#spill.reject(row);
    }
  }
}

function countRows(batches: readonly UsageBatch[]): number {
  return batches.reduce((sum, { rows }) => sum + rows.length, 0);
}

/** Groups rows of a spill file by their blocks. A spill that failed half-way leaves duplicates. */
function toBatches(spilled: readonly SpilledUsageRow[]): readonly UsageBatch[] {
  const byBlock = new Map<string | undefined, Map<string, UsageRow>>();
  const split = new Set<string | undefined>();
  for (const { block, isSplit, ...row } of spilled) {
    const rows = byBlock.get(block) ?? new Map<string, UsageRow>();
    byBlock.set(block, rows);
    rows.set(`${row.callId} ${row.revision}`, row);
    if (isSplit === true) split.add(block);
  }
  return [...byBlock].map(([block, rows]) => ({ block, isSplit: split.has(block), rows: [...rows.values()] }));
}
