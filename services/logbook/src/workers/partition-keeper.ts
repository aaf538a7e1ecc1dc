import type { Database } from "@gatehouse/database";
import type { Logger } from "@gatehouse/telemetry";
import { daysFrom, oldestDay } from "../domain/days.ts";
import { forgetMetrics } from "../store/metric-rollups.ts";
import { forgetBatches, keepPartitions } from "../store/partitions.ts";

export interface PartitionKeeperOptions {
  readonly database: Database;
  readonly retentionDays: number;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const intervalMs = 3_600_000;

/** Makes the gateway log's partitions before they are needed, and drops those that are over. */
export class PartitionKeeper {
  readonly #options: PartitionKeeperOptions;
  #timer: NodeJS.Timeout | undefined;
  #keeping: Promise<void> = Promise.resolve();

  constructor(options: PartitionKeeperOptions) {
    this.#options = options;
  }

  /** The beginning of what is kept. */
  get since(): Date {
    const { now, retentionDays } = this.#options;
    return new Date(oldestDay(now(), retentionDays));
  }

  /** Milliseconds since 1970, by the clock that makes partitions. */
  get nowMs(): number {
    return this.#options.now();
  }

  /** @throws what Postgres says; a service without today's partition cannot store. */
  async start(): Promise<void> {
    await this.keep();
    this.#timer = setInterval(() => {
      this.#keeping = this.keep().catch((err: unknown) => {
        this.#options.log.warn({ err }, "The gateway log's partitions could not be looked after.");
      });
    }, intervalMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#keeping;
  }

  /** Today's partition and those to come; what is over goes. */
  async keep(): Promise<void> {
    const { database, log, now, retentionDays } = this.#options;
    const dropped = await keepPartitions(
      database,
      daysFrom(oldestDay(now(), 1), now()),
      oldestDay(now(), retentionDays),
    );
    if (dropped.length > 0) log.info({ days: dropped }, "Days of the gateway log that are over were dropped.");
    await forgetBatches(database);
    await forgetMetrics(database, now());
  }

  /** Partitions of all the days that are kept: entries that waited on disk come late. */
  async keepAll(): Promise<void> {
    const { database, now, retentionDays } = this.#options;
    const oldest = oldestDay(now(), retentionDays);
    await keepPartitions(database, daysFrom(oldest, now()), oldest);
  }
}
