import { appendFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@gatehouse/errors";
import type { Secret } from "@gatehouse/vault";
import { type Checkpoint, decodeCheckpoint, encodeCheckpoint } from "../domain/checkpoint.ts";

interface CheckpointsRead {
  /** The latest of each chain: it vouches for all the rows before it. */
  readonly latest: ReadonlyMap<string, Checkpoint>;
  /** Whole lines whose signature does not hold: they, or the key, were changed. */
  readonly unsigned: readonly string[];
}

/** Size beyond which the file is rewritten with the latest checkpoint of each chain and all lines that are not signed. */
const usualLinesMax = 100_000;

/** `audit-checkpoints.jsonl`: signed heads of the audit log's chains, outside the database. Belongs to one process. */
export class CheckpointFile {
  readonly #folder: string;
  readonly #key: Secret;
  #linesMax: number;
  #lines: number | undefined;

  /** @param linesMax the size, in lines, up to which nothing is rewritten */
  constructor(folder: string, key: Secret, linesMax = usualLinesMax) {
    this.#folder = folder;
    this.#key = key;
    this.#linesMax = linesMax;
  }

  /**
   * Resolves when the checkpoints are on disk.
   * @returns how many lines without a valid signature a rewrite of the file has met; 0 where nothing was rewritten
   */
  async append(checkpoints: readonly Checkpoint[]): Promise<number> {
    await mkdir(this.#folder, { recursive: true });
    this.#lines ??= (await this.#readLines()).length;
    const unsigned = this.#lines + checkpoints.length > this.#linesMax ? await this.#compact() : 0;
    // The empty line ends what a process that was killed has left half written.
    await appendFile(this.#path, `\n${this.#toText(checkpoints)}`, { flush: true, mode: 0o600 });
    this.#lines += checkpoints.length;
    return unsigned;
  }

  async read(): Promise<CheckpointsRead> {
    const lines = await this.#readLines();
    const latest = new Map<string, Checkpoint>();
    const unsigned: string[] = [];
    for (const line of lines) {
      const checkpoint = decodeCheckpoint(line, this.#key);
      if (checkpoint === undefined) unsigned.push(line);
      else if (checkpoint.sequence >= (latest.get(checkpoint.chain)?.sequence ?? 0)) {
        latest.set(checkpoint.chain, checkpoint);
      }
    }
    return { latest, unsigned };
  }

  get #path(): string {
    return join(this.#folder, "audit-checkpoints.jsonl");
  }

  /** Lines that are not signed stay, as evidence; many of them make rewrites rarer, not each append a rewrite. */
  async #compact(): Promise<number> {
    const { latest, unsigned } = await this.read();
    const kept = unsigned.map((line) => `${line}\n`).join("");
    const next = `${this.#path}.next`;
    await writeFile(next, kept + this.#toText([...latest.values()]), { flush: true, mode: 0o600 });
    await rename(next, this.#path);
    this.#lines = latest.size + unsigned.length;
    this.#linesMax = Math.max(this.#linesMax, 2 * this.#lines);
    return unsigned.length;
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
