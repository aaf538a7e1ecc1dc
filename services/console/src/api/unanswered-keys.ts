import { CallError, isPassing } from "./call-error.ts";
import type { Arguments } from "./control-plane.ts";
import { toHex } from "./hex.ts";

/** Bytes of a key, which must not be guessable. */
const keyBytes = 16;
/** Changes kept; the oldest is dropped. */
const changesMax = 100;

interface Change {
  readonly operation: string;
  readonly args: Arguments;
}

type Unanswered = Change & { readonly key: string };

/**
 * Idempotency keys of one person's unanswered changes, which may have been saved. Kept in the page's memory only: they survive
 * the form, so that the same values entered again are the same change, but not the sign-in, and the values are not in any
 * storage.
 */
export class UnansweredKeys {
  readonly #changes = new Map<string, Unanswered>();

  /**
   * Makes a call; if the last attempt with the same values was not answered, with its key and order of arguments, else with a new
   * key. @throws CallError of the call, with advice on a repetition where it was not answered
   */
  async use<Result>(change: Change, call: (key: string, args: Arguments) => Promise<Result>): Promise<Result> {
    const identity = JSON.stringify([change.operation, sorted(change.args)]);
    const { key, args } = this.#changes.get(identity) ?? { ...change, key: newKey() };
    this.#keep(identity, { operation: change.operation, args, key });
    try {
      const result = await call(key, args);
      this.#changes.delete(identity);
      return result;
    } catch (err) {
      if (!isPassing(err)) this.#changes.delete(identity);
      throw withNextTry(err);
    }
  }

  /** Whether a change by an operation with these arguments was not answered. */
  has(operation: string, given: Arguments): boolean {
    return [...this.#changes.values()].some((change) => change.operation === operation && isWithin(given, change.args));
  }

  #keep(identity: string, change: Unanswered): void {
    this.#changes.delete(identity);
    this.#changes.set(identity, change);
    const [oldest] = this.#changes.keys();
    if (this.#changes.size > changesMax && oldest !== undefined) this.#changes.delete(oldest);
  }
}

function isWithin(given: Arguments, args: Arguments): boolean {
  return Object.entries(given).every(([name, value]) => JSON.stringify(args[name]) === JSON.stringify(value));
}

/** Adds to an error after which the change may have been made that a repetition is safe. */
function withNextTry(err: unknown): unknown {
  if (!(err instanceof CallError) || !isPassing(err)) return err;
  const { message, requestId, status, isPassing: isFault } = err;
  const text = `${message} It may have been saved: sent again with the same values, it is saved once.`;
  return new CallError(text, { requestId, status, isPassing: isFault });
}

/** Sorts the members of records, whose order in a form depends on the person. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return members.map(([name, member]) => [name, sorted(member)]);
}

/** `crypto.randomUUID` exists only in secure contexts, and a console may be served over HTTP. */
function newKey(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(keyBytes)));
}
