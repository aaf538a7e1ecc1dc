import { appendFile, mkdir, readdir, rename, rm } from "node:fs/promises";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Logger } from "@gatehouse/telemetry";
import type { UsageRow } from "../domain/allowances/usage-row.ts";
import { createSerial } from "./allowances-serial.ts";

interface UsageSpillOptions {
  /** Belongs to this replica alone; made when first needed. */
  readonly folder: string;
  readonly replicaId: string;
  readonly log: Logger;
}

const spilledName = /^usage-.*\.jsonl$/;

/** Usage rows that wait on disk, one JSON object a line, until the database is back; rows of an earlier process included. */
export class UsageSpill {
  readonly #folder: string;
  readonly #log: Logger;
  readonly #current: string;
  /** A file must not be closed, and then read and removed, while rows are being appended to it. */
  readonly #exclusively = createSerial();
  #sequence = 0;
  #rowCount = 0;

  constructor({ folder, replicaId, log }: UsageSpillOptions) {
    this.#folder = folder;
    this.#log = log;
    this.#current = `usage-${replicaId.replaceAll(/[^\w.-]/g, "_")}`;
  }

  /** Rows written by this process and not replayed yet. */
  get rowCount(): number {
    return this.#rowCount;
  }

  /** Resolves when the rows are on disk. */
  async append(rows: readonly UsageRow[]): Promise<void> {
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    await this.#exclusively(async () => {
      await mkdir(this.#folder, { recursive: true });
      await appendFile(join(this.#folder, `${this.#current}.open`), lines, { flush: true, mode: 0o600 });
    });
    this.#rowCount += rows.length;
  }

  /** Sets one row aside for a person to look at: the database refuses it for a reason that waiting does not mend. */
  async reject(row: UsageRow): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await appendFile(join(this.#folder, "rejected.jsonl"), `${JSON.stringify(row)}\n`, { flush: true, mode: 0o600 });
  }

  /**
   * Hands every spilled row to `flush`, in batches, and removes a file when all of it has been taken. A failure leaves the
   * file for the next time; rows that were taken are then offered again.
   * @param isStart also takes up files that an earlier process left open
   */
  async replay(
    flush: (rows: readonly UsageRow[]) => Promise<void>,
    batchRowsMax: number,
    isStart = false,
  ): Promise<void> {
    await this.#exclusively(async () => await this.#closeFiles(isStart));
    for (const name of await this.#list()) {
      if (!spilledName.test(name)) continue;
      const path = join(this.#folder, name);
      const count = await this.#replayFile(path, flush, batchRowsMax);
      await rm(path);
      this.#rowCount = Math.max(0, this.#rowCount - count);
      this.#log.info({ rows: count }, "Usage rows were replayed from disk.");
    }
  }

  /** What is appended from now on goes into a new file, so that the old one can be read and removed. */
  async #closeFiles(isStart: boolean): Promise<void> {
    for (const name of await this.#list()) {
      const isMine = name === `${this.#current}.open`;
      if (!isMine && !(isStart && name.startsWith("usage-") && name.endsWith(".open"))) continue;
      const base = name.slice(0, -".open".length);
      this.#sequence += 1;
      await rename(join(this.#folder, name), join(this.#folder, `${base}-${this.#sequence}.jsonl`));
    }
  }

  async #list(): Promise<string[]> {
    try {
      return await readdir(this.#folder);
    } catch (err) {
      if (err instanceof Error && "code" in err && err.code === "ENOENT") return [];
      throw err;
    }
  }

  async #replayFile(path: string, flush: (rows: readonly UsageRow[]) => Promise<void>, max: number): Promise<number> {
    let count = 0;
    let batch: UsageRow[] = [];
    for await (const line of createInterface({ input: createReadStream(path) })) {
      const row = this.#parse(line);
      if (row !== undefined) batch.push(row);
      if (batch.length < max) continue;
      await flush(batch);
      count += batch.length;
      batch = [];
    }
    if (batch.length > 0) await flush(batch);
    return count + batch.length;
  }

  /** A process that was killed while it wrote can leave half a line at the end. */
  #parse(line: string): UsageRow | undefined {
    try {
      return JSON.parse(line) as UsageRow;
    } catch (err) {
      this.#log.error({ err, length: line.length }, "A spilled usage row is not whole; it cannot be replayed.");
      return undefined;
    }
  }
}
