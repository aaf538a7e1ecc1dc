import { readFileSync, statSync } from "node:fs";

/** A text that may change while the process runs: in a file, or fixed. */
export interface KeySource {
  /** The file; absent: the text came with the environment and stays. */
  readonly path?: string | undefined;
  readonly text: string;
}

/** How long a changed file may go unnoticed, milliseconds. */
export const lookEveryMs = 5_000;

/** Follows a file of keys, so that keys change without a restart. What cannot be read or parsed leaves the last good value. */
export class Followed<T> {
  readonly #path: string | undefined;
  readonly #parse: (text: string) => T;
  #value: T;
  #stamp: string;
  #lookedAt = 0;
  #problem: string | undefined;

  /** @throws what `parse` throws for the text at hand. */
  constructor({ path, text }: KeySource, parse: (text: string) => T) {
    this.#path = path;
    this.#parse = parse;
    this.#value = parse(text);
    this.#stamp = this.#stampNow();
  }

  /** The problem of the file since it changed last; undefined where nothing is. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get(nowMs: number): T {
    // A clock that was set back must not stop it from looking.
    if (this.#path !== undefined && Math.abs(nowMs - this.#lookedAt) >= lookEveryMs) this.#look(nowMs);
    return this.#value;
  }

  #look(nowMs: number): void {
    this.#lookedAt = nowMs;
    try {
      const stamp = this.#stampNow();
      // A file that is back as it was holds the value at hand.
      if (stamp !== this.#stamp) this.#value = this.#parse(readFileSync(this.#path ?? "", "utf8"));
      this.#stamp = stamp;
      this.#problem = undefined;
    } catch (err) {
      this.#problem = err instanceof Error ? err.message : "cannot be read";
    }
  }

  #stampNow(): string {
    if (this.#path === undefined) return "";
    const found = statSync(this.#path, { throwIfNoEntry: false });
    return found === undefined ? "absent" : `${found.ino} ${found.mtimeMs} ${found.size}`;
  }
}
