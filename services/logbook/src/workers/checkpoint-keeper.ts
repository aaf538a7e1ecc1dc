import type { Logger } from "@gatehouse/telemetry";
import type { ChainHead } from "../domain/audit-record.ts";
import type { CheckpointFile } from "../store/checkpoint-file.ts";

/** Greatest age of the checkpoint of a chain that grows. */
const intervalMs = 10_000;

/** Writes signed heads of the chains that have grown to a file outside the database. */
export class CheckpointKeeper {
  readonly #file: CheckpointFile;
  readonly #log: Logger;
  /** Milliseconds since 1970. */
  readonly #wallNow: () => number;
  #grown = new Map<string, ChainHead>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: CheckpointFile, log: Logger, wallNow: () => number) {
    this.#file = file;
    this.#log = log;
    this.#wallNow = wallNow;
  }

  record(heads: ReadonlyMap<string, ChainHead>): void {
    for (const [chain, head] of heads) this.#grown.set(chain, head);
  }

  start(): void {
    this.#timer = setInterval(() => void this.write(), intervalMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }

  /** Writes what has grown since the last time, one write after the other. A disk that refuses delays checkpoints, and nothing else. */
  async write(): Promise<void> {
    this.#writing = this.#writing.then(async () => await this.#writeGrown());
    await this.#writing;
  }

  async #writeGrown(): Promise<void> {
    const grown = this.#grown;
    if (grown.size === 0) return;
    this.#grown = new Map();
    const at = new Date(this.#wallNow()).toISOString();
    try {
      const heads = [...grown].map(([chain, { sequence, hash }]) => ({ chain, sequence, hash, at }));
      const unsigned = await this.#file.append(heads);
      if (unsigned > 0) {
        const problem =
          "Lines of the checkpoint file have no valid signature: they, or the key, were changed. They are kept.";
        this.#log.error({ lines: unsigned }, problem);
      }
    } catch (err) {
      this.#grown = new Map([...grown, ...this.#grown]);
      this.#log.error({ err, chains: grown.size }, "Checkpoints of the audit log could not be written.");
    }
  }
}
