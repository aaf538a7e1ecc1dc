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

  /**
   * Refills leases until there is a decision. `wanted` names them before each attempt, since those that no call waits for may be
   * forgotten meanwhile; a failed refill permits one more decision, because the caller may be allowed to go on during an outage.
   * @throws GatewayError `unavailable` where the ledger does not answer in time, or not with enough
   */
  async untilDecided<Decision>(
    wanted: () => readonly Refill<Lease>[],
    decide: () => Decision | undefined,
  ): Promise<Decision> {
    let isRepeated = false;
    for (let attempt = 0; attempt < allowanceBounds.refillAttemptsMax; attempt += 1) {
      const refills = wanted().map(async ({ lease, need }) => await this.#tryRefill(lease, need));
      const failure = (await Promise.all(refills)).find((outcome) => outcome !== undefined);
      const decision = decide();
      if (decision !== undefined) return decision;
      if (failure === undefined) continue;
      // Without a known outage, the ledger has answered another renewal since: it is asked once more.
      if (isRepeated || this.#outage.isKnown || !isTransient(failure.err)) throw failure.err;
      isRepeated = true;
    }
    throw allowancesUnavailable();
  }

  async #tryRefill(lease: Lease, need: number): Promise<{ readonly err: unknown } | undefined> {
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
      this.#close();
      // Its renewal may still end, but later calls must not join a refill that has failed for its own.
      this.#drop(lease, refill);
      reject(allowancesUnavailable());
    });
    const done = promise.finally(stopWaiting);
    done.catch(() => {});
    const refill: PendingRefill = { done, resolve, reject, need: 0 };
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

  /** Renews the leases in flight. Ends with their refills, so that a renewal that is late does not hold up the next one. */
  async #fly(): Promise<void> {
    const refills = [...this.#inFlight];
    void this.#renewAll(refills);
    await Promise.allSettled(refills.map(async ([, { done }]) => await done));
  }

  async #renewAll(refills: readonly (readonly [Lease, PendingRefill])[]): Promise<void> {
    let failure: { readonly err: unknown } | undefined;
    try {
      await this.#renew(refills.map(([lease, { need }]) => ({ lease, need })));
    } catch (err) {
      if (isTransient(err)) this.#close();
      failure = { err: toAllowanceError(err) };
    }
    for (const [lease, refill] of refills) {
      this.#drop(lease, refill);
      if (failure === undefined) refill.resolve();
      else refill.reject(failure.err);
    }
  }

  #close(): void {
    this.#closedUntilMs = this.#clock() + allowanceBounds.outageHoldMs;
  }

  #drop(lease: Lease, refill: PendingRefill): void {
    for (const refills of [this.#waiting, this.#inFlight]) if (refills.get(lease) === refill) refills.delete(lease);
  }
}
