import { startCountdown } from "@gatehouse/async";
import { allowanceBounds } from "../decisions/index.ts";
import { isTransient } from "../transient.ts";
import type { Clock } from "./database-clock.ts";

/** Whether the ledger is unreachable, as shown by all renewals; projects may go on without it for some time. */
export class LedgerOutage {
  readonly #clock: Clock;
  #sinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the ledger is known to be unreachable, for less than this long. */
  isWithin(graceMs: number): boolean {
    return this.#sinceMs !== undefined && this.#clock() - this.#sinceMs < graceMs;
  }

  /** Whether the last renewal found the ledger unreachable. */
  get isKnown(): boolean {
    return this.#sinceMs !== undefined;
  }

  notice(): void {
    this.#sinceMs ??= this.#clock();
  }

  /** Runs a renewal. A slow one counts as an outage before it fails, so that only the first calls wait. */
  async watch<Result>(renew: () => Promise<Result>): Promise<Result> {
    const stopWaiting = startCountdown(allowanceBounds.refillTimeoutMs, () => this.notice());
    try {
      const result = await renew();
      this.#sinceMs = undefined;
      return result;
    } catch (err) {
      if (isTransient(err)) this.notice();
      throw err;
    } finally {
      stopWaiting();
    }
  }
}
