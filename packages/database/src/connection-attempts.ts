import { backoff } from "@gatehouse/async";

/** Pause between attempts once two have failed in a row, doubled each time up to the longest, milliseconds. */
const pauseMs = { min: 100, max: 1_000 } as const;
/** Failures in a row after which a server counts as away; a single one may have been a lost connection. */
const failuresOfOneAway = 2;
/** Time after which an attempt without an end no longer holds up others, milliseconds. */
const forgottenAfterMs = 2_000;

/** An attempt under way, for its end. */
export interface Attempt {
  /** Failures in a row before it: attempts at once count as one failure. */
  readonly round: number;
}

/**
 * Spaces the attempts of one pool to connect to a server that is away, is starting, or takes no writes: one at a time, with pauses.
 * Otherwise every call would make one, and those of all processes keep a server busy that is taking over or recovering.
 */
export class ConnectionAttempts {
  readonly #now: () => number;
  readonly #random: () => number;
  #failures = 0;
  #error: Error | undefined;
  #heldUntilMs = Number.NEGATIVE_INFINITY;

  constructor(now: () => number = () => performance.now(), random: () => number = Math.random) {
    this.#now = now;
    this.#random = random;
  }

  /** The attempt to make; or the last one's error, if the next one is not due. */
  begin(): Attempt | Error {
    const attempt = { round: this.#failures };
    if (this.#error === undefined || this.#failures < failuresOfOneAway) return attempt;
    if (this.#now() < this.#heldUntilMs) return this.#error;
    this.#heldUntilMs = this.#now() + forgottenAfterMs;
    return attempt;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#error = undefined;
    this.#heldUntilMs = Number.NEGATIVE_INFINITY;
  }

  failed(attempt: Attempt, error: Error): void {
    if (attempt.round !== this.#failures) return;
    this.#failures += 1;
    this.#error = error;
    const pause = backoff(Math.max(1, this.#failures - failuresOfOneAway + 1), pauseMs.min, pauseMs.max);
    // Processes that lost their connections at the same time try again at different ones.
    this.#heldUntilMs = this.#now() + pause * (0.5 + this.#random() / 2);
  }
}
