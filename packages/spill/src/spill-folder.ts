import { createReadStream } from "node:fs";
import { open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createMutex } from "@gatehouse/async";
import { makeFolder } from "@gatehouse/config";
import { codeOf, hasCode } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";

/** Digits of a time in milliseconds, so that names sort by time until the year 2286. */
const orderDigits = 13;

/** Place of a {@link SpillFolder}'s files and the names in them. */
interface SpillOptions {
  /** Belongs to this process alone; created when first needed. */
  readonly folder: string;
  /** Kind of the spilled rows, such as `usage`, used in file names and log lines. */
  readonly name: string;
  /** Replica in the file names. */
  readonly owner: string;
  readonly log: Logger;
}

/**
 * Rows on disk, one JSON object a line, until their destination is reachable again; includes rows of an earlier process. Readable
 * by this process's user alone.
 */
export class SpillFolder<Row> {
  readonly #folder: string;
  readonly #name: string;
  readonly #log: Logger;
  readonly #owner: string;
  /** A file must not be closed, read and removed while rows are appended to it. */
  readonly #exclusively = createMutex();
  #rowCount = 0;
  #sizeBytes = 0;

  constructor({ folder, name, owner, log }: SpillOptions) {
    this.#folder = folder;
    this.#name = name;
    this.#log = log;
    this.#owner = owner.replaceAll(/[^\w.-]/g, "_");
  }

  /** Rows written by this process and not replayed yet. */
  get rowCount(): number {
    return this.#rowCount;
  }

  /** Bytes on disk; those of an earlier process are counted from the first replay on. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  async append(rows: readonly Row[]): Promise<void> {
    const lines = toLines(rows);
    await this.#exclusively(async () => {
      await makeFolder(this.#folder);
      await appendWhole(join(this.#folder, this.#openName), lines);
    });
    this.#rowCount += rows.length;
    this.#sizeBytes += lines.length;
  }

  /** Sets one row aside for manual inspection, after a refusal that waiting does not fix. */
  async reject(row: Row): Promise<void> {
    await this.#exclusively(async () => {
      await makeFolder(this.#folder);
      await appendWhole(join(this.#folder, "rejected.jsonl"), toLines([row]));
    });
  }

  /**
   * Passes every spilled row to `flush`, oldest first, in batches, and removes a completed file. A failure leaves the file for
   * the next time; rows already accepted are then repeated.
   * @param isStart includes files that an earlier process left open
   */
  async replay(flush: (rows: readonly Row[]) => Promise<void>, batchRowsMax: number, isStart = false): Promise<void> {
    if (isStart) await this.#exclusively(async () => await this.#closeFiles(isStart));
    await this.#replayClosed(flush, batchRowsMax, isStart);
    // Only now, so that many failed attempts leave one closed and one open file, not a file each.
    await this.#exclusively(async () => await this.#closeFiles(false));
    await this.#replayClosed(flush, batchRowsMax, false);
  }

  async #replayClosed(
    flush: (rows: readonly Row[]) => Promise<void>,
    batchRowsMax: number,
    isStart: boolean,
  ): Promise<void> {
    const names = (await this.#list()).filter((name) => this.#isClosed(name)).sort();
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(this.#folder, name))).size));
    if (isStart) this.#sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
    for (const [at, name] of names.entries()) {
      const path = join(this.#folder, name);
      const count = await this.#replayFile(path, flush, batchRowsMax);
      await rm(path);
      this.#rowCount = Math.max(0, this.#rowCount - count);
      this.#sizeBytes = Math.max(0, this.#sizeBytes - (sizes[at] ?? 0));
      this.#log.info({ spill: this.#name, rows: count }, "Spilled rows were replayed from disk.");
    }
  }

  get #openName(): string {
    return `${this.#name}-${this.#owner}.open`;
  }

  #isClosed(name: string): boolean {
    return name.startsWith(`${this.#name}-`) && name.endsWith(".jsonl");
  }

  /** Closes the open file, so that it can be read and removed; later rows go into a new one. */
  async #closeFiles(isStart: boolean): Promise<void> {
    const names = await this.#list();
    const closed = names.filter((name) => this.#isClosed(name));
    for (const name of names) {
      const isLeftOpen = name.startsWith(`${this.#name}-`) && name.endsWith(".open");
      if (name !== this.#openName && !(isStart && isLeftOpen)) continue;
      const owner = name.slice(this.#name.length + 1, -".open".length);
      const next = `${this.#name}-${this.#orderAfter(closed)}-${owner}.jsonl`;
      await rename(join(this.#folder, name), join(this.#folder, next));
      closed.push(next);
    }
  }

  /** Order of a file closed now: the time, but always after every closed file, even if the clock was set back. */
  #orderAfter(closed: readonly string[]): string {
    const latest = closed.reduce((max, name) => Math.max(max, this.#orderOf(name)), 0);
    return String(Math.max(Date.now(), latest + 1)).padStart(orderDigits, "0");
  }

  #orderOf(name: string): number {
    return Number(/^\d+/.exec(name.slice(this.#name.length + 1))?.[0] ?? 0);
  }

  async #list(): Promise<string[]> {
    try {
      return await readdir(this.#folder);
    } catch (err) {
      if (hasCode(err, "ENOENT")) return [];
      throw err;
    }
  }

  async #replayFile(path: string, flush: (rows: readonly Row[]) => Promise<void>, max: number): Promise<number> {
    const input = createReadStream(path);
    let count = 0;
    let batch: Row[] = [];
    try {
      for await (const line of linesOf(input)) {
        const row = this.#parse(line);
        if (row !== undefined) batch.push(row);
        if (batch.length < max) continue;
        await flush(batch);
        count += batch.length;
        batch = [];
      }
      if (batch.length > 0) await flush(batch);
    } finally {
      input.destroy();
    }
    return count + batch.length;
  }

  /** A process killed while writing can leave half a line at the end. */
  #parse(line: string): Row | undefined {
    try {
      return JSON.parse(line) as Row;
    } catch (err) {
      this.#log.error(
        { err, spill: this.#name, length: line.length },
        "A spilled row is not whole; it cannot be replayed.",
      );
      return undefined;
    }
  }
}

/** Lines ended by a newline or by the end of the input. `node:readline` also splits at U+2028 and U+2029, which JSON texts may contain. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  for await (const chunk of input) {
    const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
    parts.push(first);
    for (const other of others) {
      yield parts.join("");
      parts = [other];
    }
  }
  const last = parts.join("");
  if (last !== "") yield last;
}

function toLines(rows: readonly unknown[]): Buffer {
  return Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

const newline = Buffer.from("\n");

/**
 * Appends lines, all or none: what a full disk has accepted of them is removed again, so that repeated attempts leave nothing.
 * Half a line, left by a killed process, is ended first, so that it does not spoil the next line.
 */
async function appendWhole(path: string, lines: Buffer): Promise<void> {
  const file = await open(path, "a+", 0o600);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const isHalf = size > 0 && !last.equals(newline);
    try {
      await file.appendFile(isHalf ? Buffer.concat([newline, lines]) : lines);
      await file.sync();
    } catch (err) {
      // The failure of the write is the one to report.
      await file.truncate(size).catch(() => {});
      throw err;
    }
  } finally {
    await file.close();
  }
}

/** Error code such as `EACCES` or `ENOSPC` where a folder is not writable; undefined where it is. Creates the folder. */
export async function findFolderProblem(folder: string): Promise<string | undefined> {
  const probe = join(folder, `.probe-${process.pid}`);
  try {
    await makeFolder(folder);
    // A full disk accepts an empty file.
    await writeFile(probe, "probe\n", { mode: 0o600, flush: true });
    await rm(probe, { force: true });
    return undefined;
  } catch (err) {
    return codeOf(err) ?? "unknown";
  }
}
