import { readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { hasCode } from "@gatehouse/errors";

/** A text that may change while the process runs: in a file, or fixed. */
export interface KeySource {
  /** The file; absent: the text came with the environment and stays. */
  readonly path?: string | undefined;
  readonly text: string;
}

/** Longest time for which a changed file goes unnoticed, milliseconds. */
export const lookEveryMs = 5_000;

/**
 * Follows files of keys, so that keys change without a restart. What cannot be read or parsed leaves the last good value: files that
 * belong together may change one after the other.
 */
export class Followed<T> {
  readonly #sources: readonly KeySource[];
  readonly #parse: (...texts: readonly string[]) => T;
  #value: T;
  #stamp: string;
  #lookedAt = 0;
  #problem: string | undefined;

  /** @param parse gets the texts in the order of the sources. @throws what `parse` throws for the present texts. */
  constructor(sources: readonly KeySource[], parse: (...texts: readonly string[]) => T) {
    this.#sources = sources;
    this.#parse = parse;
    this.#value = parse(...sources.map(({ text }) => text));
    this.#stamp = this.#stampNow();
  }

  /** The problem of the files since they changed last; undefined where nothing is. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get(nowMs: number): T {
    // A clock that was set back must not stop it from looking.
    if (this.#sources.some(({ path }) => path !== undefined) && Math.abs(nowMs - this.#lookedAt) >= lookEveryMs) {
      this.#look(nowMs);
    }
    return this.#value;
  }

  #look(nowMs: number): void {
    this.#lookedAt = nowMs;
    try {
      const stamp = this.#stampNow();
      // Files with an unchanged stamp still hold the present value.
      if (stamp !== this.#stamp) this.#value = this.#parse(...this.#sources.map((source) => readNow(source)));
      this.#stamp = stamp;
      this.#problem = undefined;
    } catch (err) {
      this.#problem = err instanceof Error ? err.message : "cannot be read";
    }
  }

  #stampNow(): string {
    return this.#sources.map(({ path }) => stampOf(path)).join("; ");
  }
}

function readNow({ path, text }: KeySource): string {
  return path === undefined ? text : readFileSync(path, "utf8");
}

function stampOf(path: string | undefined): string {
  if (path === undefined) return "";
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "absent" : `${found.ino} ${found.mtimeMs} ${found.size}`;
}

/** The text of a file in a folder of keys; undefined where it is absent. */
export async function readIfThere(path: string): Promise<string | undefined> {
  return await readFile(path, "utf8").catch((err: unknown) => {
    if (hasCode(err, "ENOENT")) return undefined;
    throw err;
  });
}
