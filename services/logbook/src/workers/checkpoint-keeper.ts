import type { Logger } from "@gatehouse/telemetry";
import type { ChainHead } from "../domain/audit-record.ts";
import type { Checkpoint } from "../domain/checkpoint.ts";
import type { CheckpointFile } from "../store/checkpoint-file.ts";

/** Greatest age of the checkpoint of a chain that grows. */
const intervalMs = 10_000;
/** Chains that one line of the log names. */
const chainsNamedMax = 20;

interface CheckpointKeeperOptions {
  readonly file: CheckpointFile;
  /** Whether the rows of a chain lead through all of these checkpoints. @throws when the stop comes */
  readonly leadsThrough: (chain: string, checkpoints: readonly Checkpoint[], stopping: AbortSignal) => Promise<boolean>;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly wallNow: () => number;
}

/** Writes signed heads of the chains that have grown to a file outside the database. */
export class CheckpointKeeper {
  readonly #options: CheckpointKeeperOptions;
  readonly #stopping = new AbortController();
  #grown = new Map<string, ChainHead>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: CheckpointKeeperOptions) {
    this.#options = options;
  }

  record(heads: ReadonlyMap<string, ChainHead>): void {
    for (const [chain, head] of heads) this.#grown.set(chain, head);
  }

  start(): void {
    this.#timer = setInterval(() => void this.write(), intervalMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.write();
  }

  /** Writes what has grown since the last time, one write after the other. A disk that refuses delays checkpoints, and nothing else. */
  async write(): Promise<void> {
    this.#writing = this.#writing.then(async () => await this.#writeGrown());
    await this.#writing;
  }

  async #writeGrown(): Promise<void> {
    const { file, log, wallNow } = this.#options;
    const grown = this.#grown;
    if (grown.size === 0) return;
    this.#grown = new Map();
    const at = new Date(wallNow()).toISOString();
    try {
      await file.append([...grown].map(([chain, { sequence, hash }]) => ({ chain, sequence, hash, at })));
    } catch (err) {
      this.#grown = new Map([...grown, ...this.#grown]);
      log.error({ err, chains: grown.size }, "Checkpoints of the audit log could not be written.");
      return;
    }
    await this.#compact();
  }

  /** A rewrite that fails, or that a stop interrupts, leaves the file as it is: it comes again after a later write. */
  async #compact(): Promise<void> {
    const { file, leadsThrough, log } = this.#options;
    const { signal } = this.#stopping;
    try {
      const compaction = await file.compact(async (...chain) => await leadsThrough(...chain, signal));
      if (compaction === undefined) return;
      const { unsigned, contradicted } = compaction;
      const changed =
        "Lines of the checkpoint file have no valid signature: they, or the key, were changed. They are kept.";
      if (unsigned > 0) log.error({ lines: unsigned }, changed);
      const rewritten =
        "The audit log does not lead through its signed checkpoints: rows were changed. They are kept; verify the log.";
      if (contradicted.length > 0) log.error({ chains: contradicted.slice(0, chainsNamedMax) }, rewritten);
    } catch (err) {
      if (!signal.aborted) log.warn({ err }, "The checkpoint file could not be rewritten; it grows meanwhile.");
    }
  }
}
