import { CallError, isPassing } from "./call-error.ts";
import type { Arguments } from "./control-plane.ts";
import { toHex } from "./hex.ts";

/** Bytes of a key: it must not be guessed. */
const keyBytes = 16;
/** Changes that are kept at a time; the oldest goes. */
const changesMax = 100;

interface Change {
  readonly operation: string;
  readonly args: Arguments;
}

type Unanswered = Change & { readonly key: string };

/**
 * Idempotency keys of the changes that one person has sent, until they are answered: what got no answer may have been saved. In the
 * memory of the page alone, so that a form that is closed and filled in again is the same change; a key outlives the form, not the
 * person's sign-in, and no storage has the values.
 */
export class UnansweredKeys {
  readonly #changes = new Map<string, Unanswered>();

  /**
   * Makes a call under the key of the last try of the same values, and with the arguments in the same order, where that got no
   * answer; else under a new one. @throws CallError as the call, with a word on the next try where it got no answer
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

  /** Whether a change by an operation got no answer, with such arguments among its own. */
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

/** The error as it is, unless the change may have been made: then it says that another try is safe. */
function withNextTry(err: unknown): unknown {
  if (!(err instanceof CallError) || !isPassing(err)) return err;
  const { message, requestId, status, isPassing: isFault } = err;
  const text = `${message} It may have been saved: sent again with the same values, it is saved once.`;
  return new CallError(text, { requestId, status, isPassing: isFault });
}

/** The value with the members of its records in one order: a form has them in the order in which they were filled in. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return members.map(([name, member]) => [name, sorted(member)]);
}

/** `crypto.randomUUID` is there for secure pages only, and a console may be read over HTTP. */
function newKey(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(keyBytes)));
}
