import { startCountdown } from "@gatehouse/async";
import { allowanceBounds } from "../decisions/bounds.ts";
import { allowancesUnavailable } from "../decisions/index.ts";
import { isTransient, toAllowanceError } from "../transient.ts";
import type { Clock } from "./database-clock.ts";
import type { LedgerOutage } from "./ledger-outage.ts";

/** A lease, and the need of the calls that wait for it. */
export interface Refill<Lease> {
  readonly lease: Lease;
  /** In the lease's unit; 0 when it is fetched ahead. */
  readonly need: number;
}

interface PendingRefill {
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (err: unknown) => void;
  need: number;
}

/** Sends the asks for all of them to the database at once, and applies the answers. */
type Renew<Lease> = (refills: readonly Refill<Lease>[]) => Promise<void>;

/**
 * Fetches leases from the database: calls that wait for one lease share one refill, and refills share renewals. One renewal runs
 * at a time; refills requested meanwhile go into the next one.
 */
export class LeaseRefills<Lease extends object> {
  readonly #renew: Renew<Lease>;
  readonly #clock: Clock;
  readonly #outage: LedgerOutage;
  readonly #waiting = new Map<Lease, PendingRefill>();
  readonly #inFlight = new Map<Lease, PendingRefill>();
  #isRunning = false;
  #closedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(renew: Renew<Lease>, clock: Clock, outage: LedgerOutage) {
    this.#renew = renew;
    this.#outage = outage;
    this.#clock = clock;
  }

  /**
   * Resolves when the lease has been refilled, possibly with too little: a call that joins a refill under way was not counted in
   * it. Rejects with `unavailable` when the database does not answer in time.
   */
  async refill(lease: Lease, need: number): Promise<void> {
    const pending = this.#inFlight.get(lease);
    if (pending !== undefined) return await pending.done;
    if (this.#isClosed) throw allowancesUnavailable();
    const refill = this.#waiting.get(lease) ?? this.#open(lease);
    refill.need += need;
    await refill.done;
  }

  /** As {@link refill}, but returns its failure: the caller may be allowed to go on during an outage. */
  async tryRefill(lease: Lease, need: number): Promise<{ readonly err: unknown } | undefined> {
    try {
      await this.refill(lease, need);
      return undefined;
    } catch (err) {
      return { err };
    }
  }

  /** Refills without a waiting call; a failure is left to the next call that needs the lease. */
  refillAhead(lease: Lease): void {
    if (this.#inFlight.has(lease) || this.#waiting.has(lease) || this.#isClosed) return;
    this.#open(lease);
  }

  /** Whether a refill of this lease is queued or under way: a second lease for the same key would appear twice in one renewal. */
  has(lease: Lease): boolean {
    return this.#waiting.has(lease) || this.#inFlight.has(lease);
  }

  /** Whether a renewal failed a moment ago, and none has succeeded since. */
  get #isClosed(): boolean {
    return this.#outage.isKnown && this.#clock() < this.#closedUntilMs;
  }

  #open(lease: Lease): PendingRefill {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stopWaiting = startCountdown(allowanceBounds.refillTimeoutMs, () => {
      this.#outage.notice();
      reject(allowancesUnavailable());
    });
    const done = promise.finally(stopWaiting);
    done.catch(() => {});
    const refill = { done, resolve, reject, need: 0 };
    this.#waiting.set(lease, refill);
    if (!this.#isRunning) {
      this.#isRunning = true;
      queueMicrotask(() => void this.#run());
    }
    return refill;
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      for (const [lease, refill] of this.#waiting) {
        if (this.#inFlight.size >= allowanceBounds.renewalRowsMax) break;
        this.#waiting.delete(lease);
        this.#inFlight.set(lease, refill);
      }
      await this.#fly();
    }
    this.#isRunning = false;
  }

  async #fly(): Promise<void> {
    const refills = [...this.#inFlight];
    try {
      await this.#renew(refills.map(([lease, { need }]) => ({ lease, need })));
      this.#inFlight.clear();
      for (const [, { resolve }] of refills) resolve();
    } catch (err) {
      if (isTransient(err)) this.#closedUntilMs = this.#clock() + allowanceBounds.outageHoldMs;
      this.#inFlight.clear();
      for (const [, { reject }] of refills) reject(toAllowanceError(err));
    }
  }
}
