import { GatewayError } from "@gatehouse/errors";
import { AddressTable } from "./address-table.ts";

/** Outcome of a look-up of a credential: `remembered` where the cache knew it as unknown, `nothing` where the look-up failed. */
export type QuestionOutcome = "known" | "unknown" | "remembered" | "nothing";

/** Guard of look-ups that the cache cannot answer. Each admitted `begin` is followed by one `end`. */
export interface CredentialGuard {
  /**
   * Returns a refusal, or undefined to admit the look-up.
   * @param hash of the credential; undefined for an attempt without one, such as a sign-in
   */
  begin(addressKey: string, hash?: string): GatewayError | undefined;
  end(addressKey: string, outcome: QuestionOutcome, hash?: string): void;
}

/** Monotonic clock, milliseconds. */
type ElapsedMs = () => number;

const guardedAddressesMax = 10_000;
const minuteMs = 60_000;

/** Limits look-ups of unknown tokens per address and minute. Addresses that have sent no unknown token are not limited. */
export class LookupBudget implements CredentialGuard {
  readonly #perMinute: number;
  readonly #now: ElapsedMs;
  readonly #addresses = new AddressTable(guardedAddressesMax, () => ({ spent: 0, atMs: 0, asking: 0 }));
  refused = 0;

  constructor(perMinute: number, now: ElapsedMs) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  begin(addressKey: string): GatewayError | undefined {
    const state = this.#renewed(addressKey);
    if (state.spent >= 1 && state.spent + state.asking >= this.#perMinute) {
      this.refused += 1;
      return tooMany(
        "Too many unknown tokens have come from this address.",
        "Check the token, and wait: tokens in use are not affected.",
        minuteMs / this.#perMinute,
      );
    }
    state.asking += 1;
    return undefined;
  }

  end(addressKey: string, outcome: QuestionOutcome): void {
    const state = this.#renewed(addressKey);
    state.asking = Math.max(0, state.asking - 1);
    if (outcome === "unknown") state.spent += 1;
  }

  /** Refills the budget evenly over a minute. */
  #renewed(addressKey: string) {
    const state = this.#addresses.get(addressKey);
    const nowMs = this.#now();
    state.spent = Math.max(0, state.spent - ((nowMs - state.atMs) * this.#perMinute) / minuteMs);
    state.atMs = nowMs;
    return state;
  }
}

/** Bounds of `GuessDelays` for each address; times in milliseconds. */
export const guessBounds = {
  /** Wrong keys without a delay. */
  freeGuesses: 10,
  /** Pause after the first wrong key beyond the free ones; doubles with each further one. */
  firstRestMs: 1_000,
  longestRestMs: 5 * minuteMs,
  /** Time without an attempt after which an address starts over. */
  forgottenAfterMs: 15 * minuteMs,
  /** Recent wrong keys of an address; repeating one is not another guess. */
  triedKeysMax: 8,
} as const;

/** Enough of a hash to distinguish an address' keys. */
const hashPartLength = 16;

interface Attempts {
  count: number;
  atMs: number;
  restsUntilMs: number;
}

interface AddressState extends Attempts {
  /** Attempts per recent wrong key, by the start of its hash; the first attempt with each counts for the address as well. */
  readonly tried: Map<string, Attempts>;
  /** Keys whose first attempt is not answered yet. */
  readonly asking: Set<string>;
}

/**
 * Delays guesses of admin keys. Attempts count from their start, so that parallel guesses gain nothing. A repeated key counts
 * once for its address and then has a separate delay, so that a program with an old key does not block its whole network. Cached
 * keys bypass the guard.
 */
export class GuessDelays implements CredentialGuard {
  readonly #now: ElapsedMs;
  readonly #addresses = new AddressTable(guardedAddressesMax, (): AddressState => ({
    ...none(),
    tried: new Map(),
    asking: new Set(),
  }));
  refused = 0;

  constructor(now: ElapsedMs) {
    this.#now = now;
  }

  begin(addressKey: string, hash = ""): GatewayError | undefined {
    const state = this.#addresses.get(addressKey);
    const key = hash.slice(0, hashPartLength);
    // Repetitions of a key before its answer share the first question: a restarted router receives many requests of one
    // administrator at once.
    if (state.asking.has(key)) return undefined;
    const again = state.tried.get(key);
    const refusal = this.#attempt(again ?? state);
    if (refusal !== undefined || again !== undefined || key === "") return refusal;
    state.tried.set(key, { ...none(), count: 1, atMs: this.#now() });
    state.asking.add(key);
    const [oldest = ""] = state.tried.keys();
    if (state.tried.size > guessBounds.triedKeysMax) state.tried.delete(oldest);
    return undefined;
  }

  /** Keeps the count of a wrong key only. */
  end(addressKey: string, outcome: QuestionOutcome, hash = ""): void {
    const state = this.#addresses.get(addressKey);
    const key = hash.slice(0, hashPartLength);
    const isFirst = key === "" || state.asking.delete(key);
    if (outcome === "unknown" || outcome === "remembered") return;
    takeBack(isFirst ? state : state.tried.get(key));
    if (isFirst) state.tried.delete(key);
  }

  #attempt(attempts: Attempts): GatewayError | undefined {
    const { freeGuesses, firstRestMs, longestRestMs, forgottenAfterMs } = guessBounds;
    const nowMs = this.#now();
    if (nowMs < attempts.restsUntilMs) {
      this.refused += 1;
      return tooMany(
        "Too many wrong admin keys have come from this address.",
        "Wait, then send the right key. Other addresses are not affected.",
        attempts.restsUntilMs - nowMs,
      );
    }
    if (nowMs - attempts.atMs >= forgottenAfterMs) attempts.count = 0;
    attempts.atMs = nowMs;
    attempts.count += 1;
    const beyond = attempts.count - freeGuesses;
    if (beyond > 0) attempts.restsUntilMs = nowMs + Math.min(longestRestMs, firstRestMs * 2 ** (beyond - 1));
    return undefined;
  }
}

function none(): Attempts {
  return { count: 0, atMs: 0, restsUntilMs: 0 };
}

function takeBack(attempts: Attempts | undefined): void {
  if (attempts === undefined) return;
  attempts.count = Math.max(0, attempts.count - 1);
  attempts.restsUntilMs = 0;
}

function tooMany(message: string, detail: string, waitMs: number): GatewayError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new GatewayError("too_many_requests", message, { details: { detail }, retryAfterSeconds });
}
