import { backoff } from "@gatehouse/async";
import { codeOf } from "@gatehouse/errors";
import { SpillFolder } from "@gatehouse/spill";
import type { Logger } from "@gatehouse/telemetry";
import { gatewayLogBounds as bounds } from "./bounds.ts";
import type { SealedBatch } from "./sealed-batch.ts";

/** Publishes batches. @throws what stands in the way. */
type Publish = (batches: readonly SealedBatch[]) => Promise<void>;

/** Batches on disk. An unreadable folder delays only its own batches, and is retried with back-off. */
export class SpilledBatches {
  readonly #folder: string;
  readonly #spill: SpillFolder<SealedBatch>;
  readonly #log: Logger;
  /** Whether files of an earlier process may remain. */
  #mayHaveOlder = true;
  #unreadable: { readonly code: string; readonly failures: number; readonly againAtMs: number } | undefined;

  constructor(folder: string, log: Logger) {
    this.#folder = folder;
    this.#spill = new SpillFolder({ folder, name: "gateway-log", owner: "batches", log });
    this.#log = log;
  }

  get sizeBytes(): number {
    return this.#spill.sizeBytes;
  }

  /** Wait until the folder is to be read again, milliseconds; undefined while it can be read. */
  get retryMs(): number | undefined {
    return this.#unreadable && Math.max(0, this.#unreadable.againAtMs - performance.now());
  }

  notices(): readonly string[] {
    if (this.#unreadable === undefined) return [];
    const { code } = this.#unreadable;
    return [`entries of the gateway log in ${this.#folder} cannot be read (${code}): they wait, and newer ones go out`];
  }

  /** Resolves when the batches are on disk. */
  async append(batches: readonly SealedBatch[]): Promise<void> {
    await this.#spill.append(batches);
  }

  /** Publishes what waits on disk, unless the folder could not be read a moment ago. @throws what `publish` throws, and nothing else. */
  async replay(publish: Publish): Promise<void> {
    if (!this.#mayHaveOlder && this.#spill.sizeBytes === 0) return;
    if ((this.retryMs ?? 0) > 0) return;
    const way = { isBlocked: false };
    const publishFrom = async (batches: readonly SealedBatch[]) => {
      way.isBlocked = true;
      await publish(batches);
      way.isBlocked = false;
    };
    try {
      await this.#spill.replay(publishFrom, bounds.replayBatchesMax, this.#mayHaveOlder);
      this.#mayHaveOlder = false;
      this.#recordReadable();
    } catch (err) {
      if (way.isBlocked) throw err;
      this.#recordUnreadable(err);
    }
  }

  #recordReadable(): void {
    if (this.#unreadable !== undefined) this.#log.info("Entries of the gateway log on disk can be read again.");
    this.#unreadable = undefined;
  }

  #recordUnreadable(err: unknown): void {
    const before = this.#unreadable;
    if (before === undefined)
      this.#log.error({ err, folder: this.#folder }, "Entries of the gateway log on disk cannot be read; they wait.");
    const failures = (before?.failures ?? 0) + 1;
    const againAtMs = performance.now() + backoff(failures, bounds.retryFirstMs, bounds.retryLastMs);
    this.#unreadable = { code: codeOf(err) ?? "unknown", failures, againAtMs };
  }
}
