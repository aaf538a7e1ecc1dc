import { GatewayError } from "@gatehouse/errors";
import { AddressTable } from "./address-table.ts";

/** How a question about a credential ended: what it was about, or that nothing was asked or could be said. */
export type QuestionOutcome = "known" | "unknown" | "nothing";

/** Stands before questions about credentials that are not cached. Each `begin` that is let through is followed by one `end`. */
export interface CredentialGuard {
  /**
   * Answers with a refusal, or undefined to let the question be asked.
   * @param hash of the credential; undefined for an attempt that has none, such as a sign-in
   */
  begin(addressKey: string, hash?: string): GatewayError | undefined;
  end(addressKey: string, outcome: QuestionOutcome, hash?: string): void;
}

/** Milliseconds since some moment. */
export type ElapsedMs = () => number;

/** Addresses remembered by each guard. */
export const guardedAddressesMax = 10_000;
const minuteMs = 60_000;

/**
 * Look-ups of unknown tokens: so many a minute for one address, and further ones are refused without a question. An address that
 * has sent none is not held up, however many tokens come from it at once.
 */
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
      return tooMany("Too many unknown tokens have come from this address.", {
        detail: "Check the token, and wait: tokens in use are not affected.",
        waitMs: minuteMs / this.#perMinute,
      });
    }
    state.asking += 1;
    return undefined;
  }

  end(addressKey: string, outcome: QuestionOutcome): void {
    const state = this.#renewed(addressKey);
    state.asking = Math.max(0, state.asking - 1);
    if (outcome === "unknown") state.spent += 1;
  }

  /** The spent part comes back evenly over a minute. */
  #renewed(addressKey: string) {
    const state = this.#addresses.get(addressKey);
    const nowMs = this.#now();
    state.spent = Math.max(0, state.spent - ((nowMs - state.atMs) * this.#perMinute) / minuteMs);
    state.atMs = nowMs;
    return state;
  }
}

/** How guesses of admin keys are slowed down, per address. */
export const guessBounds = {
  /** Wrong keys that cost nothing but their answer. */
  freeGuesses: 10,
  /** Rest after the first wrong key beyond those; it doubles with each further one. */
  firstRestMs: 1_000,
  longestRestMs: 5 * minuteMs,
  /** An address without an attempt for this long begins again. */
  forgottenAfterMs: 15 * minuteMs,
  /** Last keys of an address that are known as tried: sending one of them again is no further guess. */
  triedKeysMax: 8,
} as const;

/** Enough of a hash to tell an address' keys apart. */
const hashPartLength = 16;

/**
 * Slows down guesses of admin keys. Attempts count from their beginning, so that many at once are worth no more than one after the
 * other. The same key counts once, so that a program with an old key does not hold up its whole network. Keys that the cache knows
 * never come here, so an administrator at work is not held up by a neighbour's guesses.
 */
export class GuessDelays implements CredentialGuard {
  readonly #now: ElapsedMs;
  readonly #addresses = new AddressTable(guardedAddressesMax, () => ({
    guesses: 0,
    atMs: 0,
    restsUntilMs: 0,
    tried: new Set<string>(),
    /** Keys whose count may still be taken back. */
    asking: new Set<string>(),
  }));
  refused = 0;

  constructor(now: ElapsedMs) {
    this.#now = now;
  }

  begin(addressKey: string, hash = ""): GatewayError | undefined {
    const { freeGuesses, firstRestMs, longestRestMs, forgottenAfterMs, triedKeysMax } = guessBounds;
    const state = this.#addresses.get(addressKey);
    const key = hash.slice(0, hashPartLength);
    if (state.tried.has(key)) return undefined;
    const nowMs = this.#now();
    if (nowMs < state.restsUntilMs) {
      this.refused += 1;
      return tooMany("Too many wrong admin keys have come from this address.", {
        detail: "Wait, then send the right key. Other addresses are not affected.",
        waitMs: state.restsUntilMs - nowMs,
      });
    }
    if (nowMs - state.atMs >= forgottenAfterMs) state.guesses = 0;
    state.atMs = nowMs;
    state.guesses += 1;
    if (key !== "") {
      state.tried.add(key);
      state.asking.add(key);
    }
    const [oldest = ""] = state.tried;
    if (state.tried.size > triedKeysMax) state.tried.delete(oldest);
    const beyond = state.guesses - freeGuesses;
    if (beyond > 0) state.restsUntilMs = nowMs + Math.min(longestRestMs, firstRestMs * 2 ** (beyond - 1));
    return undefined;
  }

  /** Only a wrong key stays counted. */
  end(addressKey: string, outcome: QuestionOutcome, hash = ""): void {
    const state = this.#addresses.get(addressKey);
    const key = hash.slice(0, hashPartLength);
    const isCounted = key === "" || state.asking.delete(key);
    if (outcome === "unknown" || !isCounted) return;
    state.tried.delete(key);
    state.guesses = Math.max(0, state.guesses - 1);
    state.restsUntilMs = 0;
  }
}

interface Refusal {
  readonly detail: string;
  readonly waitMs: number;
}

function tooMany(message: string, { detail, waitMs }: Refusal): GatewayError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new GatewayError("too_many_requests", message, { details: { detail }, retryAfterSeconds });
}
