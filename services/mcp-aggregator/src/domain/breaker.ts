/** Transport failures in a row that open the circuit. */
const failuresMax = 3;
const openMsMin = 5_000;
const openMsMax = 60_000;
/** Share of the time that is left to chance, so that replicas do not probe in step. */
const jitter = 0.2;

export interface BreakerOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/**
 * Keeps calls from an upstream that cannot be reached: three transport failures in a row open it for 5 s, and each failed probe
 * doubles that up to 60 s. What the upstream answers, errors and refusals included, proves that it can be reached.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  #failures = 0;
  #openMs = 0;
  #openUntil = 0;
  #isProbing = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  /** Whether a call may be made now; each true must be followed by one report. While open, one call at a time probes. */
  enter(): boolean {
    if (this.#openMs === 0) return true;
    if (this.#isProbing || this.#options.now() < this.#openUntil) return false;
    this.#isProbing = true;
    return true;
  }

  get isOpen(): boolean {
    return this.#openMs > 0;
  }

  /** Milliseconds until the next probe; 0 where one may be made. */
  get retryAfterMs(): number {
    return this.isOpen ? Math.max(0, this.#openUntil - this.#options.now()) : 0;
  }

  reportReached(): void {
    this.#failures = 0;
    this.#openMs = 0;
    this.#isProbing = false;
  }

  reportUnreachable(): void {
    this.#failures += 1;
    const wasProbing = this.#isProbing;
    this.#isProbing = false;
    if (!wasProbing && this.#failures < failuresMax) return;
    // Calls that were under way when it opened are no probes.
    if (!wasProbing && this.isOpen) return;
    this.#openMs = Math.min(openMsMax, Math.max(openMsMin, this.#openMs * 2));
    this.#openUntil = this.#options.now() + this.#openMs * (1 - jitter * this.#options.random());
  }

  /** The call ended without telling whether the upstream can be reached, as when its caller left. */
  reportNothing(): void {
    this.#isProbing = false;
  }
}
