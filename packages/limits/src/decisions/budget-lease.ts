import type { Micros } from "@gatehouse/money";
import { type BudgetClaim, type BudgetEvent, budgetThresholdPercent, type RefusalReason } from "./allowance.ts";
import { allowanceBounds as bounds } from "./bounds.ts";
import type { Month } from "./month.ts";

/** A replica's ask to the database for one endpoint's month. Totals rather than differences, so that it may be repeated. */
export interface BudgetAsk {
  readonly endpointUuid: string;
  readonly projectUuid: string;
  readonly month: Month;
  readonly budgetMicros: Micros;
  /** Reservations, and settled calls that are not in the ledger yet. Always granted. */
  readonly inUseMicros: Micros;
  /** Amount that the lease must hold: the amount in use, and that of waiting calls. */
  readonly needMicros: Micros;
  /** Desired amount beyond that. */
  readonly extraMicros: Micros;
}

/** State of an endpoint's ledger after a renewal, in micro-dollars; `leaseMicros` is the asking replica's whole lease. */
export interface BudgetAnswer {
  readonly leaseMicros: Micros;
  readonly spentMicros: Micros;
  /** Amount left to lease. */
  readonly availableMicros: Micros;
  /** Other replicas that hold parts of the budget, where the ask was not met; else 0. */
  readonly holders: number;
}

type BudgetDecision =
  /** `micros`: the amount reserved, at most the estimate. */
  | { readonly kind: "held"; readonly micros: Micros }
  /** `spent`: too little of the budget is left. `in_progress`: enough would be left, but calls in progress hold it. */
  | { readonly kind: "refused"; readonly reason: RefusalReason }
  /** The database has to decide. */
  | { readonly kind: "cold" };

const cold: BudgetDecision = { kind: "cold" };

interface BudgetLeaseKey {
  readonly endpointUuid: string;
  readonly projectUuid: string;
  readonly month: Month;
}

/**
 * One replica's part of one endpoint's monthly budget. No other replica can use the leased amount, so it can be reserved here
 * without asking; settled costs count against it until the ledger has them.
 */
export class BudgetLease {
  readonly key: BudgetLeaseKey;
  #budget: Micros;
  /** Leased amount, at most that in the database. */
  #held: Micros = 0;
  /** Upper bound of the lease while asks are open, since one of them may already have reduced it. */
  #heldMax: Micros = Number.POSITIVE_INFINITY;
  #asksOpen = 0;
  #reserved: Micros = 0;
  #reservations = 0;
  #waiting = 0;
  #unflushed: Micros = 0;
  #spent: Micros = 0;
  #available: Micros = 0;
  #holders = 0;
  #validUntilMs = Number.NEGATIVE_INFINITY;
  #availableUntilMs = Number.NEGATIVE_INFINITY;
  #refillBelow: Micros = 0;
  #reservedNow: Micros = 0;
  #reservedBefore: Micros = 0;
  #lastEstimate: Micros = 0;
  #usedAtMs: number;
  #hasRefused = false;
  /** Length of outage that the lease must last for, milliseconds. */
  #graceMs = 0;
  readonly #raised = new Set<BudgetEvent["kind"]>();

  constructor(key: BudgetLeaseKey, budgetMicros: Micros, nowMs: number) {
    this.key = key;
    this.#budget = budgetMicros;
    this.#usedAtMs = nowMs;
  }

  get budgetMicros(): Micros {
    return this.#budget;
  }

  /** Settled calls of the month: the ledger's, and this replica's that are not in it yet. */
  get spentMicros(): Micros {
    return this.#spent + this.#unflushed;
  }

  get #free(): Micros {
    return this.#held - this.#reserved - this.#unflushed;
  }

  /** Sets the budget; a change requires a renewal. The events of a raised budget may become due again. */
  changeBudget(budgetMicros: Micros): void {
    if (budgetMicros === this.#budget) return;
    if (budgetMicros > this.#budget) this.#raised.clear();
    this.#hasRefused = false;
    this.#budget = budgetMicros;
    this.#validUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** Length of outage that the lease must last for, milliseconds: money is leased ahead for it, and for at least a second. */
  get graceMs(): number {
    return this.#graceMs;
  }

  changeGrace(graceMs: number): void {
    this.#graceMs = graceMs;
  }

  /** Amount that calls in progress hold, of this replica and of others, as of the last renewal. */
  get reservedMicros(): Micros {
    return Math.max(0, this.#budget - this.spentMicros - this.#within);
  }

  /** Amount that other replicas have leased, used or not, as of the last renewal. */
  get othersMicros(): Micros {
    return this.#budget - this.spentMicros - this.#within - this.#reserved;
  }

  /** Other replicas that hold parts of the budget, where the last ask was not met; else 0. */
  get holders(): number {
    return this.#holders;
  }

  /** Amount of the lease, plus what could still be leased. */
  get #within(): Micros {
    return this.#free + this.#available;
  }

  /**
   * Reserves money for a call if the lease has enough. A call that cannot get its whole estimate gets less, down to its least
   * amount: while calls in progress hold the rest, a share of what is left. `nowMs` is on the clock of `apply`.
   * @param isGoingOn the ledger is unreachable, and the project goes on without it
   */
  reserve(claim: BudgetClaim, nowMs: number, isGoingOn = false): BudgetDecision {
    const decision = this.extend(claim, nowMs, isGoingOn);
    if (decision.kind === "held") this.#reservations += 1;
    return decision;
  }

  /** Whether a call is refused as `spent` without asking the database; reserves nothing. */
  refusesAsSpent(claim: BudgetClaim, nowMs: number): boolean {
    if (nowMs >= this.#validUntilMs || !this.#lacks(claim)) return false;
    this.#refuse("spent");
    return true;
  }

  /** Reserves more for a call with a reservation. */
  extend(claim: BudgetClaim, nowMs: number, isGoingOn = false): BudgetDecision {
    const byLedger = this.#decide(claim, nowMs);
    const decision = byLedger.kind === "cold" && isGoingOn ? this.#decideAway(claim) : byLedger;
    return decision.kind === "held" ? this.#hold(decision, nowMs) : decision;
  }

  /**
   * Decides during an outage by the leased amount, which others cannot use even after the lease has expired, since it is then
   * presumed to be spent. `cold` where it is too little for the call, or nothing was leased.
   */
  #decideAway(claim: BudgetClaim): BudgetDecision {
    if (this.#validUntilMs === Number.NEGATIVE_INFINITY) return cold;
    const { estimateMicros, unspent, enough } = this.#wanted(claim);
    if (unspent <= 0) return this.#refuse("spent");
    if (this.#free < Math.min(estimateMicros, enough)) return cold;
    return { kind: "held", micros: Math.min(estimateMicros, this.#free) };
  }

  #hold(decision: Extract<BudgetDecision, { kind: "held" }>, nowMs: number): BudgetDecision {
    const { micros } = decision;
    this.#reserved += micros;
    this.#reservedNow += micros;
    this.#lastEstimate = micros;
    this.#usedAtMs = nowMs;
    return decision;
  }

  #decide(claim: BudgetClaim, nowMs: number) {
    if (nowMs >= this.#validUntilMs) return cold;
    if (this.#lacks(claim)) return this.#refuse("spent");
    const { estimateMicros, enough } = this.#wanted(claim);
    if (this.#free >= estimateMicros) return { kind: "held", micros: estimateMicros } as const;
    if (nowMs >= this.#availableUntilMs || estimateMicros <= this.#within) return cold;
    if (this.#within < enough) return this.#refuse("in_progress");
    return this.#free < this.#within ? cold : ({ kind: "held", micros: this.#free } as const);
  }

  #lacks(claim: BudgetClaim): boolean {
    const { leastMicros, unspent } = this.#wanted(claim);
    return unspent <= 0 || leastMicros > unspent;
  }

  /** Amounts of a claim, with the least while others hold the rest. */
  #wanted({ estimateMicros, leastMicros = estimateMicros, sharedMicros = leastMicros }: BudgetClaim) {
    const unspent = this.#budget - this.spentMicros;
    const enough = Math.max(leastMicros, Math.min(sharedMicros, Math.floor(unspent / 2)));
    return { estimateMicros, leastMicros, unspent, enough };
  }

  #refuse(reason: RefusalReason): BudgetDecision {
    this.#hasRefused ||= reason === "spent";
    return { kind: "refused", reason };
  }

  /** Events whose condition the ledger meets, and that are not known to be raised. */
  dueEvents(): BudgetEvent["kind"][] {
    const isNear = this.#budget > 0 && this.#spent * 100 >= this.#budget * budgetThresholdPercent;
    // The refusal of one large call does not exhaust a budget that is hardly used; a budget of 0 is exhausted by the first call.
    const isExhausted = this.#hasRefused
      ? isNear || this.#budget === 0
      : this.#budget > 0 && this.#spent >= this.#budget;
    const due: BudgetEvent["kind"][] = [];
    if (isNear && !this.#raised.has("budget.threshold_reached")) due.push("budget.threshold_reached");
    if (isExhausted && !this.#raised.has("budget.exhausted")) due.push("budget.exhausted");
    return due;
  }

  /** Records that a replica has raised this event, as reported by the database. */
  markRaised(kind: BudgetEvent["kind"]): void {
    this.#raised.add(kind);
  }

  /** Whether to fetch more while some is still left. */
  get isLow(): boolean {
    return this.#free < this.#refillBelow;
  }

  /** Ends a reservation of this amount. */
  release(heldMicros: Micros): void {
    this.#reserved -= heldMicros;
    this.#reservations -= 1;
  }

  /** Adds a settled cost that is not in the ledger yet. */
  settle(costMicros: Micros): void {
    this.#unflushed += costMicros;
  }

  /** Removes a settled cost that is now in the ledger. */
  flush(costMicros: Micros): void {
    this.#unflushed -= costMicros;
  }

  /** Takes the ledger's state after a flush; `leaseMicros` is the rest of the lease. */
  update({ leaseMicros, spentMicros }: Pick<BudgetAnswer, "leaseMicros" | "spentMicros">): void {
    this.#held = Math.min(leaseMicros, this.#heldMax);
    this.#spent = spentMicros;
  }

  /**
   * Creates an ask, whose end must be reported: `apply` or `askFailed`. An amount that it may return can no longer be reserved,
   * since another replica may have it before the answer arrives.
   */
  ask(waitingMicros: Micros, extraMicros: Micros): BudgetAsk {
    const inUseMicros = this.#reserved + this.#unflushed;
    const needMicros = inUseMicros + waitingMicros;
    this.#asksOpen += 1;
    this.#heldMax = Math.min(this.#heldMax, needMicros + extraMicros);
    const handedBack = Math.max(0, this.#held - this.#heldMax);
    this.#held -= handedBack;
    this.#available += handedBack;
    return { ...this.key, budgetMicros: this.#budget, inUseMicros, needMicros, extraMicros };
  }

  /**
   * Creates an ask for waiting calls, and for money ahead.
   * @param isAway the ledger is unreachable, and the project goes on without it: nothing is returned then
   */
  askAhead(waitingMicros: Micros, isAway: boolean): BudgetAsk {
    const wished = this.#wish(waitingMicros);
    return this.ask(waitingMicros, isAway ? Math.max(wished, this.#free) : wished);
  }

  /** Applies the answer to an ask. The lease's life counts from `sentMs`, before which it cannot have begun. */
  apply(answer: BudgetAnswer, { budgetMicros, needMicros }: BudgetAsk, { sentMs, nowMs }: RenewalTimes): void {
    this.#endAsk();
    this.update(answer);
    this.#available = answer.availableMicros;
    this.#holders = answer.holders;
    this.#refillBelow = Math.max(0, Math.ceil((answer.leaseMicros - needMicros) / 2));
    if (budgetMicros !== this.#budget) return;
    this.#validUntilMs = sentMs + bounds.leaseLifeMs - bounds.leaseMarginMs;
    this.#availableUntilMs = nowMs + bounds.refusalHoldMs;
  }

  /** Ends an ask of unknown outcome. It may have been granted, so the amount that it returned stays unavailable. */
  askFailed(): void {
    this.#endAsk();
  }

  #endAsk(): void {
    this.#asksOpen -= 1;
    if (this.#asksOpen === 0) this.#heldMax = Number.POSITIVE_INFINITY;
  }

  /** Whether more is idle here than other replicas could still lease: calls there may be refused although none is in progress. */
  get isHoarding(): boolean {
    return this.#free > this.#available;
  }

  /** Returns an ask that returns surplus before the next tick; undefined unless the lease {@link isHoarding}. */
  handBack(nowMs: number): BudgetAsk | undefined {
    return this.isHoarding ? this.ask(0, this.#keep(nowMs)) : undefined;
  }

  /** Returns an ask that returns all that no call uses, for a call of another replica; undefined where there is nothing. */
  handBackAll(): BudgetAsk | undefined {
    return this.#free > 0 ? this.ask(0, 0) : undefined;
  }

  /**
   * Called once a tick. Returns an ask to renew the lease or to return surplus; undefined when there is nothing to do.
   * @param isAway the ledger is unreachable, and the project goes on without it: nothing is returned then
   */
  endTick(nowMs: number, isAway = false): BudgetAsk | undefined {
    const keep = isAway ? Math.max(0, this.#free) : this.#keep(nowMs);
    this.#reservedBefore = this.#reservedNow;
    this.#reservedNow = 0;
    const isEnding = !this.isEmpty && this.#validUntilMs - nowMs < bounds.leaseRenewBelowMs;
    // A faster rate than at the last ask must not shorten the outage that the lease lasts for.
    const isThin = this.#graceMs > 0 && !isAway && this.#free < keep / 2;
    return isEnding || isThin || this.#free > keep ? this.ask(0, keep) : undefined;
  }

  #keep(nowMs: number): Micros {
    if (this.isIdle(nowMs)) return 0;
    const share = Math.floor(this.#available / bounds.leaseShare);
    const forGrace = this.#graceSeconds * Math.max(this.#reservedNow, this.#reservedBefore);
    return Math.min(share, Math.max(2 * this.#reservedNow, forGrace, this.#ahead()));
  }

  isIdle(nowMs: number): boolean {
    return nowMs - this.#usedAtMs >= (this.#graceMs > 0 ? bounds.idleWithGraceMs : bounds.idleMs);
  }

  /** Marks the lease as waited for, until `endWait`: if it were forgotten meanwhile, its successor could spend the same money. */
  beginWait(): void {
    this.#waiting += 1;
  }

  endWait(): void {
    this.#waiting -= 1;
  }

  /** Whether it holds no money, and no call uses it or waits for it. */
  get isEmpty(): boolean {
    const isUsed = this.#reservations > 0 || this.#waiting > 0 || this.#asksOpen > 0;
    return !isUsed && this.#held === 0 && this.#unflushed === 0;
  }

  /** Amount for about a second at the present rate, or for the grace period; for a few calls where the rate is unknown. */
  #wish(waitingMicros: Micros): Micros {
    const ofSecond = Math.max(this.#reservedNow, this.#reservedBefore);
    const ahead = Math.max(bounds.callsAhead * waitingMicros, this.#ahead());
    return Math.max(ahead, Math.max(1, this.#graceSeconds) * ofSecond);
  }

  get #graceSeconds(): number {
    return Math.ceil(this.#graceMs / 1_000);
  }

  #ahead(): Micros {
    return bounds.callsAhead * this.#lastEstimate;
  }
}

interface RenewalTimes {
  readonly sentMs: number;
  readonly nowMs: number;
}
