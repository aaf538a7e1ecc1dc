import {
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  handleWhenResult,
  type IBackoff,
  type IHalfOpenAfterBackoffContext,
} from "cockatiel";
import { failuresMax, openMs } from "./bounds.ts";

export const circuitStates = ["closed", "half_open", "open"] as const;
/** `half_open`: one call may go through, or is on its way, to find out whether the provider is back. */
export type CircuitStateName = (typeof circuitStates)[number];

/** What an attempt says of the provider; `unclear` where it was given up before the provider had shown anything. */
export type Finding = "alive" | "failed" | "unclear";

export interface CircuitOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly onTransition: (to: CircuitStateName) => void;
}

/** One attempt's place in a circuit. Only the first finding counts. */
export interface Passage {
  /** Whether this attempt decides if the circuit closes. */
  readonly isProbe: boolean;
  /** Resolves when the finding is in force. */
  report(finding: Finding): Promise<void>;
}

class Unclear extends Error {}

const unrecorded: Passage = { isProbe: false, report: async () => {} };

/**
 * The circuit breaker of one provider with one credential. Counting and state are cockatiel's; what differs is that a call
 * is never made to wait for another one's probe, that time is a parameter, and that a call given up proves nothing.
 */
export class Circuit {
  readonly #now: () => number;
  readonly #breaker = new ConsecutiveBreaker(failuresMax);
  readonly #policy: CircuitBreakerPolicy;
  #openUntil = 0;

  constructor({ now, onTransition }: CircuitOptions) {
    this.#now = now;
    const counts = (finding: unknown) => finding === "failed" || finding === "unclear";
    this.#policy = circuitBreaker(handleWhenResult(counts), {
      breaker: this.#breaker,
      halfOpenAfter: { next: (context) => this.#open(context) },
    });
    this.#policy.onStateChange((state) => onTransition(nameOf(state)));
  }

  get state(): CircuitStateName {
    const state = nameOf(this.#policy.state);
    return state === "open" && this.#now() >= this.#openUntil ? "half_open" : state;
  }

  /** Of the clock in use; undefined unless open. */
  get openUntil(): number | undefined {
    return this.state === "open" ? this.#openUntil : undefined;
  }

  get consecutiveFailures(): number {
    return this.#breaker.state;
  }

  /** Whether a call may go through: while closed every one, while half-open the first. */
  get admits(): boolean {
    return this.#policy.state === CircuitState.HalfOpen ? false : this.state !== "open";
  }

  /** Begins an attempt. Where the circuit does not admit it, it is made all the same: as the probe if there is none yet. */
  enter(): Passage {
    if (this.#policy.state === CircuitState.HalfOpen) return unrecorded;
    if (this.state === "open") this.#openUntil = this.#now();
    const { promise, resolve, reject } = Promise.withResolvers<Finding>();
    const settled = this.#policy.execute(async () => await promise).then(ignore, ignoreUnclear);
    const isProbe = nameOf(this.#policy.state) === "half_open";
    const report = async (finding: Finding) => {
      // While closed, an error that the policy does not handle counts neither way. A probe has to be decided.
      if (finding === "unclear" && !isProbe) reject(new Unclear());
      else resolve(finding);
      await settled;
    };
    return { isProbe, report };
  }

  #open({ result }: IHalfOpenAfterBackoffContext): IBackoff<IHalfOpenAfterBackoffContext> {
    const isUnclear = "value" in result && result.value === "unclear";
    this.#openUntil = this.#now() + (isUnclear ? 0 : openMs);
    return new Pause(
      () => this.#now() >= this.#openUntil,
      (context) => this.#open(context),
    );
  }
}

/** A pause by our own clock: cockatiel compares its length with the system's, which may be set while it lasts. */
class Pause implements IBackoff<IHalfOpenAfterBackoffContext> {
  readonly #isOver: () => boolean;
  readonly next: IBackoff<IHalfOpenAfterBackoffContext>["next"];

  constructor(isOver: () => boolean, next: IBackoff<IHalfOpenAfterBackoffContext>["next"]) {
    this.#isOver = isOver;
    this.next = next;
  }

  get duration(): number {
    return this.#isOver() ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
}

function nameOf(state: CircuitState): CircuitStateName {
  if (state === CircuitState.Closed) return "closed";
  return state === CircuitState.HalfOpen ? "half_open" : "open";
}

function ignore(): void {}

function ignoreUnclear(err: unknown): void {
  if (!(err instanceof Unclear)) throw err;
}
