import { readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { hasCode } from "@gatehouse/errors";

/** A text in a file, which may change while the process runs, or a fixed text. */
export interface KeySource {
  /** Absent: the text came with the environment and does not change. */
  readonly path?: string | undefined;
  readonly text: string;
}

/** Interval of checks for changed files, milliseconds. */
export const lookEveryMs = 5_000;

/**
 * Follows key files, so that keys change without a restart. After a failure to read or parse them the last valid value stays,
 * since related files may change one after the other.
 */
export class Followed<T> {
  readonly #sources: readonly KeySource[];
  readonly #parse: (...texts: readonly string[]) => T;
  #value: T;
  #stamp: string;
  #lookedAt = 0;
  #problem: string | undefined;

  /** @param parse receives the texts in the order of the sources. @throws the error of `parse` for the present texts. */
  constructor(sources: readonly KeySource[], parse: (...texts: readonly string[]) => T) {
    this.#sources = sources;
    this.#parse = parse;
    this.#value = parse(...sources.map(({ text }) => text));
    this.#stamp = this.#stampNow();
  }

  /** Problem of the files since their last change; undefined where there is none. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get(nowMs: number): T {
    // The absolute difference, since the clock may have been set back.
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

/** Text of a file in a folder of keys; undefined where it is absent. */
export async function readIfThere(path: string): Promise<string | undefined> {
  return await readFile(path, "utf8").catch((err: unknown) => {
    if (hasCode(err, "ENOENT")) return undefined;
    throw err;
  });
}
