import { allowanceBounds } from "../decisions/bounds.ts";
import { allowancesUnavailable } from "../decisions/index.ts";
import type { Clock } from "./database-clock.ts";
import type { LedgerOutage } from "./ledger-outage.ts";
import { isTransient, toAllowanceError } from "./statements.ts";

/** A lease with what the calls that wait for it need. */
export interface Refill<Lease> {
  readonly lease: Lease;
  /** In the lease's own unit; 0 when it is fetched ahead. */
  readonly need: number;
}

interface Flight {
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (err: unknown) => void;
  need: number;
}

/** Asks the database for all of them at once and applies the answers. */
type Renew<Lease> = (refills: readonly Refill<Lease>[]) => Promise<void>;

/**
 * Brings leases from the database: calls that wait for one lease share one refill, and refills share renewals. One
 * renewal runs at a time; what is asked meanwhile goes into the next one.
 */
export class LeaseRefills<Lease extends object> {
  readonly #renew: Renew<Lease>;
  readonly #clock: Clock;
  readonly #outage: LedgerOutage;
  readonly #waiting = new Map<Lease, Flight>();
  readonly #flying = new Map<Lease, Flight>();
  #isRunning = false;
  #closedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(renew: Renew<Lease>, clock: Clock, outage: LedgerOutage) {
    this.#renew = renew;
    this.#outage = outage;
    this.#clock = clock;
  }

  /**
   * Resolves when the lease has been refilled, which may still not be enough: a call that joins a refill under way was
   * not counted in it. Rejects with `unavailable` when the database does not answer in time.
   */
  async refill(lease: Lease, need: number): Promise<void> {
    const flying = this.#flying.get(lease);
    if (flying !== undefined) return await flying.done;
    if (this.#isClosed) throw allowancesUnavailable();
    const flight = this.#waiting.get(lease) ?? this.#open(lease);
    flight.need += need;
    await flight.done;
  }

  /** As {@link refill}, but answers with the failure: the outage may be one that the caller goes on in. */
  async tryRefill(lease: Lease, need: number): Promise<{ readonly err: unknown } | undefined> {
    try {
      await this.refill(lease, need);
      return undefined;
    } catch (err) {
      return { err };
    }
  }

  /** Refills without a call that waits; a failure is left to the next call that needs the lease. */
  refillAhead(lease: Lease): void {
    if (this.#flying.has(lease) || this.#waiting.has(lease) || this.#isClosed) return;
    this.#open(lease);
  }

  /** Whether a refill of this lease waits or is under way: a second lease for the same key would ask twice in one renewal. */
  has(lease: Lease): boolean {
    return this.#waiting.has(lease) || this.#flying.has(lease);
  }

  /** For a moment after a failure, unless the ledger has answered another renewal since. */
  get #isClosed(): boolean {
    return this.#outage.isKnown && this.#clock() < this.#closedUntilMs;
  }

  #open(lease: Lease): Flight {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#outage.notice();
      reject(allowancesUnavailable());
    }, allowanceBounds.refillTimeoutMs);
    const done = promise.finally(() => clearTimeout(timer));
    done.catch(() => {});
    const flight = { done, resolve, reject, need: 0 };
    this.#waiting.set(lease, flight);
    if (!this.#isRunning) {
      this.#isRunning = true;
      queueMicrotask(() => void this.#run());
    }
    return flight;
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      for (const [lease, flight] of this.#waiting) {
        if (this.#flying.size >= allowanceBounds.renewalRowsMax) break;
        this.#waiting.delete(lease);
        this.#flying.set(lease, flight);
      }
      await this.#fly();
    }
    this.#isRunning = false;
  }

  async #fly(): Promise<void> {
    const flights = [...this.#flying];
    try {
      await this.#renew(flights.map(([lease, { need }]) => ({ lease, need })));
      this.#flying.clear();
      for (const [, { resolve }] of flights) resolve();
    } catch (err) {
      if (isTransient(err)) this.#closedUntilMs = this.#clock() + allowanceBounds.outageHoldMs;
      this.#flying.clear();
      for (const [, { reject }] of flights) reject(toAllowanceError(err));
    }
  }
}
