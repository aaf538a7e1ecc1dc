import { Repetition } from "@gatehouse/async";
import type { Logger } from "@gatehouse/telemetry";
import type pg from "pg";

const flushIntervalMs = 5_000;
/** Rows waiting to be written; further uses are dropped, since the next use records them. */
const pendingRowsMax = 10_000;

/** Tables with a time of last use. */
type UsedTable = "access_tokens" | "admin_keys" | "console_sessions";

/** Records when credentials were last used, in batches, asynchronously to the question that used them. */
export class Usage {
  readonly #table: UsedTable;
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #repetition: Repetition;
  #pending = new Map<number, Date>();
  #writing: Promise<void> = Promise.resolve();
  #isLastWrite = false;

  constructor(table: UsedTable, pool: pg.Pool, log: Logger) {
    this.#table = table;
    this.#pool = pool;
    this.#log = log;
    // A flush does not fail.
    this.#repetition = new Repetition({
      intervalMs: flushIntervalMs,
      work: async () => await this.flush(),
      onFailure: () => {},
    });
  }

  start(): void {
    this.#repetition.start();
  }

  /** Waits for a write in progress, and writes the rest once. */
  async stop(): Promise<void> {
    await this.#repetition.stop();
    this.#isLastWrite = true;
    await this.flush();
  }

  record(id: number, at: Date): void {
    if (this.#pending.size < pendingRowsMax || this.#pending.has(id)) this.#pending.set(id, at);
  }

  /** Serialises writes. Never rejects: failed rows are kept for the next write, unless newer uses have replaced them. */
  async flush(): Promise<void> {
    this.#writing = this.#writing.then(async () => await this.#write());
    await this.#writing;
  }

  async #write(): Promise<void> {
    const batch = this.#pending;
    if (batch.size === 0) return;
    this.#pending = new Map();
    try {
      await this.#pool.query(statementFor(this.#table), [[...batch.keys()], [...batch.values()]]);
    } catch (err) {
      const then = this.#isLastWrite ? "they are lost, since the process stops" : "trying again";
      const rows = { table: this.#table, rows: batch.size };
      this.#log.warn({ err, ...rows }, `Times of the last use of credentials could not be saved; ${then}.`);
      for (const [id, at] of batch) if (!this.#pending.has(id)) this.record(id, at);
    }
  }
}

function statementFor(table: UsedTable): string {
  return `
    UPDATE ${table} t SET last_used_at = greatest(t.last_used_at, used.at)
      FROM unnest($1::int[], $2::timestamptz[]) AS used(id, at) WHERE t.id = used.id`;
}
