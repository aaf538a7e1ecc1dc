import { appendFile, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "@gatehouse/config";
import { hasCode } from "@gatehouse/errors";
import type { Secret } from "@gatehouse/vault";
import { type Checkpoint, decodeCheckpoint, encodeCheckpoint } from "../domain/checkpoint.ts";

interface CheckpointsRead {
  /** All that are signed, by chain, each once. A later one vouches for no earlier one: the chain may have been rewritten between them. */
  readonly signed: ReadonlyMap<string, readonly Checkpoint[]>;
  /** Whole lines whose signature does not hold: they, or the key, were changed. */
  readonly unsigned: readonly string[];
}

/** Outcome of a rewrite of the file. */
export interface Compaction {
  /** Lines without a valid signature. */
  readonly unsigned: number;
  /** Chains whose rows do not lead through all of their checkpoints: every one of these is kept. */
  readonly contradicted: readonly string[];
}

/** Whether the rows of a chain, as they stand, lead through all of these checkpoints, so that the last one vouches for the others. */
export type LeadsThrough = (chain: string, checkpoints: readonly Checkpoint[]) => Promise<boolean>;

/** Size beyond which the file is rewritten without the checkpoints for which a later one vouches. */
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

  /** Resolves when the checkpoints are on disk. */
  async append(checkpoints: readonly Checkpoint[]): Promise<void> {
    await makeFolder(this.#folder);
    this.#lines ??= (await this.#readLines()).length;
    // The empty line ends what a process that was killed has left half written.
    await appendFile(this.#path, `\n${this.#toText(checkpoints)}`, { flush: true, mode: 0o600 });
    this.#lines += checkpoints.length;
  }

  /**
   * Rewrites a file that has grown beyond its bound. Evidence stays: lines that are not signed, and every checkpoint of a chain that
   * does not lead through all of them. Much of it makes rewrites rarer, not each append a rewrite.
   * @returns undefined where nothing was rewritten
   */
  async compact(leadsThrough: LeadsThrough): Promise<Compaction | undefined> {
    if ((this.#lines ?? 0) <= this.#linesMax) return undefined;
    const { signed, unsigned } = await this.read();
    const contradicted: string[] = [];
    const kept: Checkpoint[] = [];
    for (const [chain, checkpoints] of signed) {
      if (checkpoints.length === 1 || (await leadsThrough(chain, checkpoints))) kept.push(...latestOf(checkpoints));
      else {
        contradicted.push(chain);
        kept.push(...checkpoints);
      }
    }
    const next = `${this.#path}.next`;
    const text = unsigned.map((line) => `${line}\n`).join("") + this.#toText(kept);
    await writeFile(next, text, { flush: true, mode: 0o600 });
    await rename(next, this.#path);
    this.#lines = kept.length + unsigned.length;
    this.#linesMax = Math.max(this.#linesMax, 2 * this.#lines);
    return { unsigned: unsigned.length, contradicted };
  }

  async read(): Promise<CheckpointsRead> {
    const signed = new Map<string, Checkpoint[]>();
    const known = new Set<string>();
    const unsigned: string[] = [];
    for (const line of await this.#readLines()) {
      const checkpoint = decodeCheckpoint(line, this.#key);
      if (checkpoint === undefined) {
        unsigned.push(line);
        continue;
      }
      const { chain, sequence, hash } = checkpoint;
      const place = `${chain} ${sequence} ${hash}`;
      if (known.has(place)) continue;
      known.add(place);
      const ofChain = signed.get(chain);
      if (ofChain === undefined) signed.set(chain, [checkpoint]);
      else ofChain.push(checkpoint);
    }
    return { signed, unsigned };
  }

  get #path(): string {
    return join(this.#folder, "audit-checkpoints.jsonl");
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

function latestOf(checkpoints: readonly Checkpoint[]): readonly Checkpoint[] {
  return checkpoints.toSorted((one, other) => one.sequence - other.sequence).slice(-1);
}
