import { isPassing } from "./call-error.ts";
import type { Arguments } from "./control-plane.ts";
import { toHex } from "./hex.ts";

/** Bytes of a key: it must not be guessed. */
const keyBytes = 16;

/** The idempotency keys of one form, by the values that it has sent and got no answer to: those may have been saved. */
export class UnansweredKeys {
  readonly #keys = new Map<string, string>();

  /** Makes a call under the key of the last try of the same values, where that got no answer; else under a new one. */
  async use<Result>(args: Arguments, call: (key: string) => Promise<Result>): Promise<Result> {
    const values = JSON.stringify(args);
    const key = this.#keys.get(values) ?? newKey();
    this.#keys.set(values, key);
    try {
      const result = await call(key);
      this.#keys.delete(values);
      return result;
    } catch (err) {
      if (!isPassing(err)) this.#keys.delete(values);
      throw err;
    }
  }
}

/** `crypto.randomUUID` is there for secure pages only, and a console may be read over HTTP. */
function newKey(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(keyBytes)));
}
