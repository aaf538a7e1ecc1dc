import { appendFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@gatehouse/errors";
import type { Secret } from "@gatehouse/vault";
import { type Checkpoint, decodeCheckpoint, encodeCheckpoint } from "../domain/checkpoint.ts";

interface CheckpointsRead {
  /** The latest of each chain: it vouches for all the rows before it. */
  readonly latest: ReadonlyMap<string, Checkpoint>;
  /** Whole lines whose signature does not hold. */
  readonly unsigned: number;
}

/** Size beyond which the file is rewritten with the latest checkpoint of each chain. */
const linesMax = 100_000;

/** `audit-checkpoints.jsonl`: signed heads of the audit log's chains, outside the database. Belongs to one process. */
export class CheckpointFile {
  readonly #folder: string;
  readonly #key: Secret;
  #lines: number | undefined;

  constructor(folder: string, key: Secret) {
    this.#folder = folder;
    this.#key = key;
  }

  /** Resolves when the checkpoints are on disk. */
  async append(checkpoints: readonly Checkpoint[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    this.#lines ??= (await this.#readLines()).length;
    if (this.#lines + checkpoints.length > linesMax) await this.#compact();
    // The empty line ends what a process that was killed has left half written.
    await appendFile(this.#path, `\n${this.#toText(checkpoints)}`, { flush: true, mode: 0o600 });
    this.#lines += checkpoints.length;
  }

  async read(): Promise<CheckpointsRead> {
    const lines = await this.#readLines();
    const latest = new Map<string, Checkpoint>();
    let unsigned = 0;
    for (const line of lines) {
      const checkpoint = decodeCheckpoint(line, this.#key);
      if (checkpoint === undefined) unsigned += 1;
      else if (checkpoint.sequence >= (latest.get(checkpoint.chain)?.sequence ?? 0)) {
        latest.set(checkpoint.chain, checkpoint);
      }
    }
    return { latest, unsigned };
  }

  get #path(): string {
    return join(this.#folder, "audit-checkpoints.jsonl");
  }

  async #compact(): Promise<void> {
    const { latest } = await this.read();
    const next = `${this.#path}.next`;
    await writeFile(next, this.#toText([...latest.values()]), { flush: true, mode: 0o600 });
    await rename(next, this.#path);
    this.#lines = latest.size;
  }

  #toText(checkpoints: readonly Checkpoint[]): string {
    return checkpoints.map((checkpoint) => `${encodeCheckpoint(checkpoint, this.#key)}\n`).join("");
  }

  /** Whole lines: a process that was killed while it wrote leaves half of one. */
  async #readLines(): Promise<readonly string[]> {
    try {
      return (await readFile(this.#path, "utf8"))
        .split("\n")
        .filter((line) => line.startsWith("{") && line.endsWith("}"));
    } catch (err) {
      if (hasCode(err, "ENOENT")) return [];
      throw err;
    }
  }
}
