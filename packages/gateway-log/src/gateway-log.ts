import { backoff } from "@gatehouse/async";
import type { EventTransport } from "@gatehouse/events";
import type { Logger } from "@gatehouse/telemetry";
import type { Registry } from "prom-client";
import { gatewayLogBounds as bounds } from "./bounds.ts";
import type { GatewayLog, GatewayLogEntry } from "./gateway-log-entry.ts";
import { countEntries, LogQueue } from "./log-queue.ts";
import { createLogMetrics, type LogMetrics } from "./metrics.ts";
import type { SealedBatch } from "./sealed-batch.ts";
import { SpilledBatches } from "./spilled-batches.ts";

/** Transport and spill folder of the gateway log. */
export interface GatewayLogOptions {
  /** Started before the log and stopped after it, by its creator. */
  readonly transport: EventTransport;
  /** Folder for entries that cannot be published now. Belongs to this process alone. */
  readonly spillFolder: string;
  readonly log: Logger;
  readonly metrics: Registry;
}

/** Gateway log of one process: entries in memory, published in batches, on disk while publishing is blocked. */
export function createGatewayLog(options: GatewayLogOptions): GatewayLog {
  return new BatchingGatewayLog(options);
}

class BatchingGatewayLog implements GatewayLog {
  readonly #transport: EventTransport;
  readonly #log: Logger;
  readonly #metrics: LogMetrics;
  readonly #queue = new LogQueue();
  readonly #spill: SpilledBatches;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the timer is set for the folder on disk alone: new entries do not wait for it. */
  #awaitsFolder = false;
  #flushing: Promise<void> | undefined;
  #spilling: Promise<void> | undefined;
  /** Number of entries in memory that starts a spill to disk; raised after a failure of the disk. */
  #spillFrom: number = bounds.entriesInMemoryMax;
  /** Failed attempts to publish since the last success. */
  #failures = 0;
  #isStopped = false;
  /** Batches being published, not yet acknowledged. */
  #inFlight: readonly SealedBatch[] = [];
  #droppedUnsaid = 0;

  constructor({ transport, spillFolder, log, metrics }: GatewayLogOptions) {
    this.#transport = transport;
    this.#log = log;
    this.#spill = new SpilledBatches(spillFolder, log);
    this.#metrics = createLogMetrics(
      metrics,
      () => this.#queue.size,
      () => this.#spill.sizeBytes,
    );
  }

  append(entry: GatewayLogEntry): void {
    this.#metrics.called(entry);
    if (this.#queue.size >= 2 * bounds.entriesInMemoryMax) return this.#drop(1);
    this.#queue.add(entry);
    if (this.#isBlocked) {
      if (this.#queue.size >= this.#spillFrom) this.#startSpilling();
    } else if (this.#queue.looseCount >= bounds.batchEntriesMax) this.#startFlush();
    if (this.#timer === undefined || this.#awaitsFolder) this.#schedule(bounds.flushIntervalMs);
  }

  /** Whether the last attempt to publish failed. */
  get #isBlocked(): boolean {
    return this.#failures > 0;
  }

  notices(): readonly string[] {
    return this.#spill.notices();
  }

  async start(): Promise<void> {
    // Entries of an earlier process are replayed together with the first new ones, so that no start waits for them.
    this.#schedule(bounds.flushIntervalMs);
    return await Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await withinMs(this.#flushAll(), bounds.stopTimeoutMs);
    await this.#spilling;
    // A publication without an answer may have arrived; its batches keep their ids, so that they are stored once.
    this.#queue.giveBack(this.#inFlight);
    await this.#spillAll();
  }

  async #flushAll(): Promise<void> {
    await this.#flushing;
    if (!this.#isBlocked) await this.#flush();
  }

  /** Unreferenced, so that the timer does not keep the process alive; `stop` publishes the rest. */
  #schedule(delayMs: number): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#awaitsFolder = false;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#startFlush();
    }, delayMs).unref();
  }

  #startFlush(): void {
    if (this.#flushing !== undefined || this.#isStopped) return;
    this.#flushing = this.#flush().finally(() => {
      this.#flushing = undefined;
      this.#scheduleNext();
    });
  }

  #scheduleNext(): void {
    const { looseCount } = this.#queue;
    const { retryMs: folderMs } = this.#spill;
    if (this.#isBlocked) this.#schedule(backoff(this.#failures, bounds.retryFirstMs, bounds.retryLastMs));
    else if (looseCount > 0) this.#schedule(looseCount >= bounds.batchEntriesMax ? 0 : bounds.flushIntervalMs);
    else if (folderMs !== undefined) {
      this.#schedule(folderMs);
      this.#awaitsFolder = true;
    }
  }

  /** Publishes everything, older entries on disk first. Must not run twice at once. Never rejects. */
  async #flush(): Promise<void> {
    try {
      await this.#spilling;
      await this.#spill.replay(async (batches) => await this.#publish(batches));
      this.#queue.seal();
      for (let batches = this.#take(); batches.length > 0; batches = this.#take()) await this.#publishTaken(batches);
      this.#recordOpen();
    } catch (err) {
      // A first failure may be short; from the second on, a crash must lose no more than one wait's entries.
      if (this.#isBlocked) this.#startSpilling();
      this.#recordBlocked(err);
    }
  }

  #take(): readonly SealedBatch[] {
    return this.#queue.take(bounds.publishBatchesMax);
  }

  async #publishTaken(batches: readonly SealedBatch[]): Promise<void> {
    this.#inFlight = batches;
    try {
      await this.#publish(batches);
    } catch (err) {
      this.#queue.giveBack(batches);
      throw err;
    } finally {
      this.#inFlight = [];
    }
  }

  async #publish(batches: readonly SealedBatch[]): Promise<void> {
    await this.#transport.publish("gateway_log", batches);
    this.#metrics.published(countEntries(batches));
  }

  #startSpilling(): void {
    this.#spilling ??= this.#spillAll().finally(() => {
      this.#spilling = undefined;
    });
  }

  /** Moves the entries in memory to disk, as far as there is room. Never rejects. */
  async #spillAll(): Promise<void> {
    this.#queue.seal();
    const batches = this.#queue.take(Number.POSITIVE_INFINITY);
    const entries = countEntries(batches);
    if (entries === 0) return;
    if (this.#spill.sizeBytes >= bounds.spillBytesMax) return this.#drop(entries);
    try {
      await this.#spill.append(batches);
      this.#spillFrom = bounds.entriesInMemoryMax;
      this.#metrics.spilled(entries);
      this.#log.warn({ entries }, "Entries of the gateway log were spilled to disk, because they cannot be published.");
    } catch (err) {
      this.#queue.giveBack(batches);
      // A retry for each further entry would rewrite everything each time.
      this.#spillFrom = this.#queue.size + bounds.entriesInMemoryMax / 10;
      this.#log.error({ err, entries }, "Entries of the gateway log could not be spilled to disk.");
    }
  }

  #recordBlocked(err: unknown): void {
    if (!this.#isBlocked) this.#log.warn({ err }, "The gateway log cannot be published; its entries wait.");
    this.#failures += 1;
    if (this.#droppedUnsaid === 0) return;
    this.#log.error(
      { entries: this.#droppedUnsaid },
      "Entries of the gateway log were dropped: memory and disk are full.",
    );
    this.#droppedUnsaid = 0;
  }

  #recordOpen(): void {
    if (this.#isBlocked) this.#log.info("The gateway log is published again.");
    this.#failures = 0;
    this.#spillFrom = bounds.entriesInMemoryMax;
  }

  #drop(entries: number): void {
    this.#droppedUnsaid += entries;
    this.#metrics.dropped(entries);
  }
}

async function withinMs(work: Promise<void>, boundMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, boundMs);
  });
  await Promise.race([work, bound]);
  clearTimeout(timer);
}
