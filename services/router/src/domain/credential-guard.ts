import { GatewayError } from "@gatehouse/errors";
import { AddressTable } from "./address-table.ts";

/**
 * Outcome of a question about a credential: what it was about; `remembered` for one that is remembered as unknown, so that nothing was
 * asked; `nothing` where nothing could be said.
 */
export type QuestionOutcome = "known" | "unknown" | "remembered" | "nothing";

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
type ElapsedMs = () => number;

/** Addresses remembered by each guard. */
const guardedAddressesMax = 10_000;
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

  /** The spent part comes back evenly over a minute. */
  #renewed(addressKey: string) {
    const state = this.#addresses.get(addressKey);
    const nowMs = this.#now();
    state.spent = Math.max(0, state.spent - ((nowMs - state.atMs) * this.#perMinute) / minuteMs);
    state.atMs = nowMs;
    return state;
  }
}

/** Delays of guesses of admin keys, per address. */
export const guessBounds = {
  /** Wrong keys that cost nothing but their answer. */
  freeGuesses: 10,
  /** Rest after the first wrong key beyond those; it doubles with each further one. */
  firstRestMs: 1_000,
  longestRestMs: 5 * minuteMs,
  /** An address without an attempt for this long begins again. */
  forgottenAfterMs: 15 * minuteMs,
  /** Last wrong keys of an address that are known: one of them again is no further guess. */
  triedKeysMax: 8,
} as const;

/** Enough of a hash to tell an address' keys apart. */
const hashPartLength = 16;

/** Attempts that are slowed down together. */
interface Attempts {
  count: number;
  atMs: number;
  restsUntilMs: number;
}

interface AddressState extends Attempts {
  /** Attempts with each of the last wrong keys, by the beginning of its hash; the first with each counts for the address as well. */
  readonly tried: Map<string, Attempts>;
  /** Keys whose first attempt is not answered yet. */
  readonly asking: Set<string>;
}

/**
 * Slows down guesses of admin keys. Attempts count from their beginning, so that many at once are worth no more than one after the
 * other. The same key counts once for its address, and is then slowed down by itself, so that a program with an old key does not hold up
 * its whole network. Keys that the cache knows never come here, so an administrator at work is not held up by a neighbour's guesses.
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
    // A key that comes again before its answer shares the question of the first, and is no further guess: a router that has just
    // started meets all requests of a busy administrator at once.
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

  /** Only a wrong key stays counted. */
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
