import { backoff, pause } from "@gatehouse/async";
import type { Database, StatementRunner } from "@gatehouse/database";
import type { Logger } from "@gatehouse/telemetry";
import type { NewAuditEvent } from "./audit-event.ts";
import { prepare, type PreparedEvent, recordPrepared } from "./record-event.ts";

const batchSizeMax = 200;
/** Events queued in memory while the database is away; further ones are only logged. */
const waitingMax = 10_000;
/** Longest wait of a caller for its event to be stored. */
const keptWithinMs = 250;

interface Waiting {
  readonly event: NewAuditEvent;
  readonly prepared: PreparedEvent;
  readonly onKept: () => void;
}

/**
 * Records events of calls that change no stored state. Events are written at once, concurrent ones in one statement. While the
 * database is away they wait in memory; those lost to a stop or to the bound are logged.
 */
export class AuditQueue {
  readonly #runner: StatementRunner;
  readonly #log: Logger;
  readonly #onRecorded: () => void;
  readonly #stopping = new AbortController();
  readonly #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;

  constructor(database: Database, log: Logger, onRecorded: () => void) {
    const { pool } = database;
    this.#log = log;
    this.#onRecorded = onRecorded;
    this.#runner = { query: async (sql, values) => await pool.query(sql, [...values]) };
  }

  /** Resolves when the event is committed, or after a quarter of a second, while it stays queued. Never rejects. */
  async add(event: NewAuditEvent): Promise<void> {
    const prepared = this.#prepare(event);
    if (prepared === undefined) return;
    if (this.#waiting.length >= waitingMax) {
      this.#log.error({ event }, `An audit event was dropped: ${waitingMax} others already wait for the database.`);
      return;
    }
    const kept = new AbortController();
    this.#waiting.push({ event, prepared, onKept: () => kept.abort() });
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
    await pause(keptWithinMs, kept.signal);
  }

  /** Starts publishing at once, for an event that a transaction outside the queue and the stores has committed. */
  announce(): void {
    this.#onRecorded();
  }

  /** Writes the queued events, if the database accepts them at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#writing;
    for (const { event, onKept } of this.#waiting.splice(0)) {
      this.#log.error(
        { event },
        "An audit event was dropped: the database was not available when the process stopped.",
      );
      onKept();
    }
  }

  /** Checks an event. One that cannot be written is a defect, and would block all events after it. */
  #prepare(event: NewAuditEvent): PreparedEvent | undefined {
    try {
      return prepare(event);
    } catch (err) {
      this.#log.error({ err }, "An audit event does not match the catalogue; it was not recorded.");
      return undefined;
    }
  }

  async #writeAll(): Promise<void> {
    // At the end of the turn, so that concurrent events are written together.
    await Promise.resolve();
    for (let failures = 0; this.#waiting.length > 0;) {
      const batch = this.#waiting.slice(0, batchSizeMax);
      try {
        const prepared = batch.map((each) => each.prepared);
        await recordPrepared(this.#runner, prepared);
      } catch (err) {
        failures += 1;
        if (failures === 1) this.#log.warn({ err }, "Audit events cannot be recorded; trying again.");
        if (this.#stopping.signal.aborted) return;
        await pause(backoff(failures), this.#stopping.signal);
        continue;
      }
      failures = 0;
      this.#waiting.splice(0, batch.length);
      for (const { onKept } of batch) onKept();
      this.#onRecorded();
    }
  }
}
