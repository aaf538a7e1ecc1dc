import { Repetition } from "@gatehouse/async";
import type { Database } from "@gatehouse/database";
import type { Logger } from "@gatehouse/telemetry";
import { type Day, daysFrom, oldestDay } from "../domain/days.ts";
import { keepPartitions } from "../store/partitions.ts";

const intervalMs = 3_600_000;

/** Makes the gateway log's partitions before they are needed, and drops those that are over. */
export class PartitionKeeper {
  readonly #database: Database;
  readonly #retentionDays: number;
  readonly #log: Logger;
  /** Milliseconds since 1970. */
  readonly #wallNow: () => number;
  readonly #repetition: Repetition;

  constructor(database: Database, retentionDays: number, log: Logger, wallNow: () => number) {
    this.#database = database;
    this.#retentionDays = retentionDays;
    this.#log = log;
    this.#wallNow = wallNow;
    this.#repetition = new Repetition({
      intervalMs,
      work: async () => await this.keep(),
      onFailure: (err) =>
        log.warn({ err }, "The gateway log's partitions could not be created or dropped; trying again."),
    });
  }

  /** The beginning of what is kept. */
  get since(): Date {
    return new Date(oldestDay(this.#wallNow(), this.#retentionDays));
  }

  /** Milliseconds since 1970, by the clock that makes partitions. */
  get nowMs(): number {
    return this.#wallNow();
  }

  /** @throws what Postgres says; a service without today's partition cannot store. */
  async start(): Promise<void> {
    await this.keep();
    this.#repetition.start();
  }

  async stop(): Promise<void> {
    await this.#repetition.stop();
  }

  /** Makes the partitions of today and of the next days, and drops expired ones. */
  async keep(): Promise<void> {
    const dropped = await keepPartitions(
      this.#database,
      daysFrom(oldestDay(this.#wallNow(), 1), this.#wallNow()),
      this.#retention,
    );
    if (dropped.length > 0) this.#log.info({ days: dropped }, "Days of the gateway log that are over were dropped.");
  }

  /** Makes the partitions of some days within the retention: entries that waited on disk come late. */
  async make(days: readonly Day[]): Promise<void> {
    await keepPartitions(this.#database, days, this.#retention);
  }

  get #retention() {
    return { oldest: oldestDay(this.#wallNow(), this.#retentionDays), days: this.#retentionDays };
  }
}
