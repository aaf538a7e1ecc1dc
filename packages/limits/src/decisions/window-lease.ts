import { allowanceBounds as bounds } from "./bounds.ts";

/** Fixed windows of a rate limit, as named by the reply's `scope`. */
export type WindowScope = "minute" | "hour";

/** Lengths of windows, milliseconds. */
export const windowMs: Readonly<Record<WindowScope, number>> = { minute: 60_000, hour: 3_600_000 };

/** Start of the UTC window that contains an instant; both in epoch milliseconds. */
export function windowStart(scope: WindowScope, atMs: number): number {
  return Math.floor(atMs / windowMs[scope]) * windowMs[scope];
}

/** Whole seconds from `nowMs` to an instant, rounded up, at least 1: a `Retry-After`. */
export function secondsUntil(instantMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((instantMs - nowMs) / 1_000));
}

/** A lessee's ask for one window. */
export interface WindowAsk {
  readonly subject: string;
  readonly scope: WindowScope;
  readonly limit: number;
  /** Requests that wait for an answer. */
  readonly need: number;
  /** Desired requests beyond that; the database grants a small share of what is left. */
  readonly extra: number;
  /** Requests returned, and the start of their window, epoch milliseconds. */
  readonly returned: number;
  readonly returnedStartMs: number;
}

/** Ledger's answer to a {@link WindowAsk}; `startMs` is the start of the current window, epoch milliseconds of the database. */
export interface WindowGrant {
  readonly startMs: number;
  /** Requests added to the lease. */
  readonly units: number;
  /** Requests of the window that all replicas have leased or used. */
  readonly granted: number;
}

/** `ready`: a request may be counted. `spent`: the limit is reached. `cold`: the database has to decide. */
type WindowState = "ready" | "spent" | "cold";

/**
 * One replica's part of one rate-limit window. Leased requests count as used for all other replicas; unused ones are returned
 * while the window is open.
 */
export class WindowLease {
  readonly subject: string;
  readonly scope: WindowScope;
  /** Whether its limiter has dropped it, and creates another one when needed. */
  dropped = false;
  #limit: number;
  #startMs = Number.NEGATIVE_INFINITY;
  #units = 0;
  #granted = 0;
  /** This replica's part of the requests granted in the window. */
  #mine = 0;
  /** This replica's share of the last window that the ledger granted requests of, 0 to 1. */
  #share = 0;
  #returned = 0;
  #refusedUntilMs = Number.NEGATIVE_INFINITY;
  #refillBelow = 0;
  #spentNow = 0;
  #spentBefore = 0;
  #usedAtMs: number;
  #hasGrace = false;
  /** Whether the open window was begun by this replica's clock, not by a grant. */
  #isPresumed = false;

  constructor(
    subject: string,
    scope: WindowScope,
    { limit, nowMs }: { readonly limit: number; readonly nowMs: number },
  ) {
    this.subject = subject;
    this.scope = scope;
    this.#limit = limit;
    this.#usedAtMs = nowMs;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Sets the limit. Requests leased under another limit are returned, since they may exceed the new one. */
  changeLimit(limit: number): void {
    if (limit === this.#limit) return;
    this.#limit = limit;
    this.#refusedUntilMs = Number.NEGATIVE_INFINITY;
    this.#handBack(Math.max(0, this.#units));
  }

  state(nowMs: number): WindowState {
    if (this.#limit < 1) return "spent";
    if (nowMs >= this.#startMs + windowMs[this.scope]) return "cold";
    if (this.#units > 0) return "ready";
    return nowMs < this.#refusedUntilMs ? "spent" : "cold";
  }

  /** Counts one request. Only in state `ready`, or where `mayOverdraw`. */
  spend(nowMs: number): void {
    this.#units -= 1;
    this.#spentNow += 1;
    this.#usedAtMs = nowMs;
  }

  /**
   * Whether an unleased request may be counted during an outage of the ledger: up to this replica's share of the last known rest
   * of the open window, or of the whole of a later window. The next renewal requests the overdraft.
   */
  mayOverdraw(nowMs: number): boolean {
    if (this.#limit < 1 || this.#startMs === Number.NEGATIVE_INFINITY) return false;
    if (nowMs >= this.#startMs + windowMs[this.scope]) {
      this.#begin(windowStart(this.scope, nowMs));
      this.#isPresumed = true;
    }
    return -this.#units < Math.floor((this.#limit - this.#granted) * this.#share);
  }

  /** Whether unleased requests of the open window have been counted. */
  #owes(nowMs: number): boolean {
    return this.#units < 0 && nowMs < this.#startMs + windowMs[this.scope];
  }

  #begin(startMs: number): void {
    this.#startMs = startMs;
    this.#units = 0;
    this.#granted = 0;
    this.#mine = 0;
    this.#returned = 0;
  }

  /** Whether to fetch more while some is still left. */
  get isLow(): boolean {
    return this.#units < this.#refillBelow;
  }

  ask(need: number, extra = this.#wish()): WindowAsk {
    const { subject, scope } = this;
    const owed = Math.max(0, -this.#units);
    const ask = { subject, scope, limit: Math.max(0, this.#limit), need: need + owed, extra, returned: this.#returned };
    this.#mine -= this.#returned;
    this.#returned = 0;
    return { ...ask, returnedStartMs: Math.max(0, this.#startMs) };
  }

  /** Applies an answer. A lease under a limit that has changed since is returned. */
  apply({ startMs, units, granted }: WindowGrant, { limit, need }: WindowAsk, nowMs: number): void {
    if (startMs < this.#startMs) {
      const isOpen = nowMs < startMs + windowMs[this.scope];
      if (!this.#isPresumed || !isOpen) return;
      // The database's clock had not reached the presumed window: what was counted in it belongs to this one.
      this.#startMs = startMs;
    }
    if (startMs > this.#startMs) this.#begin(startMs);
    this.#isPresumed = false;
    this.#units += units;
    this.#mine += units;
    this.#granted = granted;
    if (granted > 0) this.#share = Math.min(1, Math.max(0, this.#mine / granted));
    this.#refillBelow = Math.ceil((units - need) / 2);
    this.#refusedUntilMs = units < need ? nowMs + bounds.refusalHoldMs : Number.NEGATIVE_INFINITY;
    if (Math.max(0, this.#limit) === limit) return;
    this.#refusedUntilMs = Number.NEGATIVE_INFINITY;
    this.#handBack(Math.max(0, this.#units));
  }

  /** Requests left to all callers, as known here. */
  remaining(nowMs: number): number {
    if (nowMs >= this.#startMs + windowMs[this.scope]) return Math.max(0, this.#limit);
    return Math.max(0, this.#limit - this.#granted + this.#units);
  }

  /** End of the window that contains `nowMs`, epoch milliseconds. */
  resetAtMs(nowMs: number): number {
    return Math.max(this.#startMs, windowStart(this.scope, nowMs)) + windowMs[this.scope];
  }

  /**
   * Called once a tick: sets aside requests that are not needed soon, to return them with the next ask.
   * @returns whether there is something to return, or an overdraft to request.
   */
  endTick(nowMs: number): boolean {
    const share = Math.floor((this.#limit - this.#granted) / bounds.leaseShare);
    const keep = this.isIdle(nowMs) ? 0 : Math.min(share, Math.max(bounds.windowUnitsInitial, 2 * this.#spentNow));
    this.#spentBefore = this.#spentNow;
    this.#spentNow = 0;
    if (nowMs >= this.#startMs + windowMs[this.scope]) return false;
    this.#handBack(Math.max(0, this.#units - Math.max(0, keep)));
    return this.#returned > 0 || this.#units < 0;
  }

  /** Sets for how long its project goes on without the ledger; a window of such a project is remembered for longer. */
  changeGrace(graceMs: number): void {
    this.#hasGrace = graceMs > 0;
  }

  /** Whether it may be forgotten. */
  isForgettable(nowMs: number): boolean {
    const idleMs = this.#hasGrace ? bounds.idleWithGraceMs : bounds.idleMs;
    return nowMs - this.#usedAtMs >= idleMs && !this.#owes(nowMs);
  }

  isIdle(nowMs: number): boolean {
    return nowMs - this.#usedAtMs >= bounds.idleMs;
  }

  /** Sets all requests aside to be returned. @returns whether there is something to return, or an overdraft to request. */
  close(): boolean {
    if (this.#units < 0) return true;
    this.#handBack(this.#units);
    return this.#returned > 0;
  }

  #handBack(units: number): void {
    this.#units -= units;
    this.#returned += units;
    this.#refillBelow = 0;
  }

  /** Requests for about a second at the present rate. */
  #wish(): number {
    const recent = Math.max(bounds.windowUnitsInitial, this.#spentNow, this.#spentBefore);
    return Math.min(bounds.windowUnitsMax, recent);
  }
}
