/** States of a circuit; in `half_open` one call may probe whether the upstream is back, or is probing. */
export const circuitStates = ["closed", "half_open", "open"] as const;
/** State of a circuit, one of {@link circuitStates}; exported as a metric and shown to administrators. */
export type CircuitState = (typeof circuitStates)[number];

/** Effect of a call on its circuit; `unclear` where it was aborted before the upstream had reacted. */
export type CallOutcome = "alive" | "failed" | "unclear";

/** Options of a {@link CircuitBreaker}; `failuresMax` consecutive failures open it. */
export interface CircuitBreakerOptions {
  readonly failuresMax: number;
  /** Time for which it stays open before one call may probe, ms; doubled by each failed probe, up to `openMsMax`. */
  readonly openMs: number;
  /** `openMs` where absent. */
  readonly openMsMax?: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Random share of the open time, so that replicas do not probe in step; none where absent. */
  readonly jitter?: { readonly share: number; readonly random: () => number };
  readonly onTransition?: (to: CircuitState) => void;
}

/** A call in progress; only its first outcome counts. */
export interface CircuitCall {
  /** Whether this call decides if the circuit closes. */
  readonly isProbe: boolean;
  report(outcome: CallOutcome): void;
}

const unrecorded: CircuitCall = { isProbe: false, report: () => {} };

/**
 * A circuit breaker. Consecutive failures open it; after a time one call probes, and an answer closes it. No call waits for
 * another one's probe; an aborted call proves nothing; calls that began before it opened are not probes.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #isClosed = true;
  #isProbing = false;
  #failures = 0;
  #openMs: number;
  #openUntil = 0;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
    this.#openMs = options.openMs;
  }

  get state(): CircuitState {
    if (this.#isClosed) return "closed";
    return this.#isProbing || this.#options.now() >= this.#openUntil ? "half_open" : "open";
  }

  /** On the clock in use; undefined unless open. */
  get openUntil(): number | undefined {
    return this.state === "open" ? this.#openUntil : undefined;
  }

  get consecutiveFailures(): number {
    return this.#failures;
  }

  /** Whether a call is admitted: every one while closed, the first while half-open. */
  get admits(): boolean {
    return this.#isClosed || (!this.#isProbing && this.state === "half_open");
  }

  /** Begins a call, admitted or not; one that is not admitted becomes the probe if there is none yet. */
  enter(): CircuitCall {
    if (this.#isProbing) return unrecorded;
    if (this.#isClosed) return onceReported(false, (outcome) => this.#count(outcome));
    this.#isProbing = true;
    this.#options.onTransition?.("half_open");
    return onceReported(true, (outcome) => this.#decide(outcome));
  }

  #count(outcome: CallOutcome): void {
    // The circuit has opened since: its probe decides.
    if (!this.#isClosed || outcome === "unclear") return;
    if (outcome === "alive") this.#failures = 0;
    else {
      this.#failures += 1;
      if (this.#failures >= this.#options.failuresMax) this.#open(this.#openMs);
    }
  }

  #decide(outcome: CallOutcome): void {
    this.#isProbing = false;
    if (outcome === "alive") {
      this.#isClosed = true;
      this.#failures = 0;
      this.#openMs = this.#options.openMs;
      this.#options.onTransition?.("closed");
    } else if (outcome === "failed") {
      this.#failures += 1;
      this.#openMs = Math.min(this.#options.openMsMax ?? this.#options.openMs, this.#openMs * 2);
      this.#open(this.#openMs);
    } else this.#open(0);
  }

  #open(ms: number): void {
    const { now, jitter, onTransition } = this.#options;
    this.#isClosed = false;
    this.#openUntil = now() + ms * (1 - (jitter === undefined ? 0 : jitter.share * jitter.random()));
    onTransition?.("open");
  }
}

function onceReported(isProbe: boolean, report: (outcome: CallOutcome) => void): CircuitCall {
  let isReported = false;
  return {
    isProbe,
    report(outcome) {
      if (isReported) return;
      isReported = true;
      report(outcome);
    },
  };
}
