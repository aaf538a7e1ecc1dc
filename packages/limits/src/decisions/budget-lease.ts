import type { Micros } from "@gatehouse/money";
import { type BudgetClaim, type BudgetEvent, budgetThresholdPercent, type RefusalReason } from "./allowance.ts";
import { allowanceBounds as bounds } from "./bounds.ts";
import type { Month } from "./month.ts";

/**
 * A replica's request to the database for one endpoint's month. Totals, not differences, so that repeating it is harmless.
 */
export interface BudgetAsk {
  readonly endpointUuid: string;
  readonly projectUuid: string;
  readonly month: Month;
  readonly budgetMicros: Micros;
  /** Reservations, and settled calls that the ledger does not have yet. The lease holds this amount in any case. */
  readonly inUseMicros: Micros;
  /** Amount that the lease should hold: all that is in use, and the calls that wait. */
  readonly needMicros: Micros;
  /** Amount that it may hold beyond that. */
  readonly extraMicros: Micros;
}

/** The ledger after a renewal. */
export interface BudgetAnswer {
  readonly leaseMicros: Micros;
  readonly spentMicros: Micros;
  /** Amount that is left to lease. */
  readonly availableMicros: Micros;
}

type BudgetDecision =
  /** `micros`: the amount that is held, at most the estimate. */
  | { readonly kind: "held"; readonly micros: Micros }
  /** `spent`: what is left of the budget is too little. `in_progress`: it would do, but calls in progress hold it. */
  | { readonly kind: "refused"; readonly reason: RefusalReason }
  /** Only the database knows. */
  | { readonly kind: "cold" };

const cold: BudgetDecision = { kind: "cold" };

interface BudgetLeaseKey {
  readonly endpointUuid: string;
  readonly projectUuid: string;
  readonly month: Month;
}

/**
 * One replica's part of one endpoint's monthly budget. What is in the lease is withheld from every other replica, so it
 * can be reserved here without asking; settled costs stay counted against it until the ledger has them.
 */
export class BudgetLease {
  readonly key: BudgetLeaseKey;
  #budget: Micros;
  /** At most what the database has leased to this replica. */
  #held: Micros = 0;
  /** Amount that is left of it when every open ask has been granted. */
  #heldMax: Micros = Number.POSITIVE_INFINITY;
  #asksOpen = 0;
  #reserved: Micros = 0;
  #reservations = 0;
  #waiting = 0;
  #unflushed: Micros = 0;
  #spent: Micros = 0;
  #available: Micros = 0;
  #validUntilMs = Number.NEGATIVE_INFINITY;
  #availableUntilMs = Number.NEGATIVE_INFINITY;
  #refillBelow: Micros = 0;
  #reservedNow: Micros = 0;
  #reservedBefore: Micros = 0;
  #lastEstimate: Micros = 0;
  #usedAtMs: number;
  #hasRefused = false;
  /** The outage that the lease is to last for. */
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

  /** Another budget needs another answer from the database. */
  changeBudget(budgetMicros: Micros): void {
    if (budgetMicros === this.#budget) return;
    this.#budget = budgetMicros;
    this.#validUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** Outage that the lease is to last for: money for so long is leased ahead, at least for a second. */
  get graceMs(): number {
    return this.#graceMs;
  }

  changeGrace(graceMs: number): void {
    this.#graceMs = graceMs;
  }

  /** Amount of the budget that calls in progress hold, of this replica and of others, as of the last renewal. */
  get reservedMicros(): Micros {
    return Math.max(0, this.#budget - this.spentMicros - this.#within);
  }

  /** Amount that the lease has, with the amount that it could get. */
  get #within(): Micros {
    return this.#free + this.#available;
  }

  /**
   * Holds money for a call if the lease has it. A call that cannot have all of its estimate is content with less: with a
   * share of what is left while calls in progress hold the rest. `nowMs` by the clock that `apply` is given.
   * @param isGoingOn the ledger is away, and the project goes on without it
   */
  reserve(claim: BudgetClaim, nowMs: number, isGoingOn = false): BudgetDecision {
    const decision = this.extend(claim, nowMs, isGoingOn);
    if (decision.kind === "held") this.#reservations += 1;
    return decision;
  }

  /** Holds more for a call that has a reservation. */
  extend(claim: BudgetClaim, nowMs: number, isGoingOn = false): BudgetDecision {
    const byLedger = this.#decide(claim, nowMs);
    const decision = byLedger.kind === "cold" && isGoingOn ? this.#decideAway(claim) : byLedger;
    return decision.kind === "held" ? this.#hold(decision, nowMs) : decision;
  }

  /**
   * Without the ledger, by what it had leased: that stays withheld from all others, also when the lease has expired, for it is
   * presumed to be spent then. `cold` where it does not do for the call, or where nothing was leased.
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
    const { estimateMicros, leastMicros, unspent, enough } = this.#wanted(claim);
    if (unspent <= 0 || leastMicros > unspent) return this.#refuse("spent");
    if (this.#free >= estimateMicros) return { kind: "held", micros: estimateMicros } as const;
    if (nowMs >= this.#availableUntilMs || estimateMicros <= this.#within) return cold;
    if (this.#within < enough) return this.#refuse("in_progress");
    return this.#free < this.#within ? cold : ({ kind: "held", micros: this.#free } as const);
  }

  /** Amounts that a call asks for, with the least that it is content with while others hold the rest. */
  #wanted({ estimateMicros, leastMicros = estimateMicros, sharedMicros = leastMicros }: BudgetClaim) {
    const unspent = this.#budget - this.spentMicros;
    const enough = Math.max(leastMicros, Math.min(sharedMicros, Math.floor(unspent / 2)));
    return { estimateMicros, leastMicros, unspent, enough };
  }

  #refuse(reason: RefusalReason): BudgetDecision {
    this.#hasRefused ||= reason === "spent";
    return { kind: "refused", reason };
  }

  /** Events whose condition is met by what the ledger holds, and that are not known to be raised this month. */
  dueEvents(): BudgetEvent["kind"][] {
    const isNear = this.#budget > 0 && this.#spent * 100 >= this.#budget * budgetThresholdPercent;
    // The refusal of one large call is not the end of a budget that is hardly used; a budget of 0 ends with the first call.
    const isExhausted = this.#hasRefused
      ? isNear || this.#budget === 0
      : this.#budget > 0 && this.#spent >= this.#budget;
    const due: BudgetEvent["kind"][] = [];
    if (isNear && !this.#raised.has("budget.threshold_reached")) due.push("budget.threshold_reached");
    if (isExhausted && !this.#raised.has("budget.exhausted")) due.push("budget.exhausted");
    return due;
  }

  /** Takes note that a replica has raised this event, as the database says. */
  markRaised(kind: BudgetEvent["kind"]): void {
    this.#raised.add(kind);
  }

  /** Whether more should be fetched while there is still some left. */
  get isLow(): boolean {
    return this.#free < this.#refillBelow;
  }

  /** Ends a reservation that holds so much. */
  release(heldMicros: Micros): void {
    this.#reserved -= heldMicros;
    this.#reservations -= 1;
  }

  /** A settled cost, which the ledger does not have yet. */
  settle(costMicros: Micros): void {
    this.#unflushed += costMicros;
  }

  /** The ledger has the cost of a settled call now. */
  flush(costMicros: Micros): void {
    this.#unflushed -= costMicros;
  }

  /** The ledger after a flush; `leaseMicros` is what it left of the lease. */
  update({ leaseMicros, spentMicros }: Pick<BudgetAnswer, "leaseMicros" | "spentMicros">): void {
    this.#held = Math.min(leaseMicros, this.#heldMax);
    this.#spent = spentMicros;
  }

  /**
   * Makes an ask, whose end must be reported: `apply` or `askFailed`. An amount that it may hand back cannot be reserved from now
   * on, for another replica may have it before the answer is here.
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
   * Makes an ask for calls that wait, and for money ahead.
   * @param isAway the ledger does not answer, and the project goes on without it: nothing is handed back then
   */
  askAhead(waitingMicros: Micros, isAway: boolean): BudgetAsk {
    const wished = this.#wish(waitingMicros);
    return this.ask(waitingMicros, isAway ? Math.max(wished, this.#free) : wished);
  }

  /** Takes the answer to an ask; `sentMs` is when the ask left, for the lease's life began after that. */
  apply(answer: BudgetAnswer, { budgetMicros, needMicros }: BudgetAsk, { sentMs, nowMs }: RenewalTimes): void {
    this.#endAsk();
    this.update(answer);
    this.#available = answer.availableMicros;
    this.#refillBelow = Math.max(0, Math.ceil((answer.leaseMicros - needMicros) / 2));
    if (budgetMicros !== this.#budget) return;
    this.#validUntilMs = sentMs + bounds.leaseLifeMs - bounds.leaseMarginMs;
    this.#availableUntilMs = nowMs + bounds.refusalHoldMs;
  }

  /** Ends an ask with an unknown outcome. It may have been granted, so the amount that it returned does not come back. */
  askFailed(): void {
    this.#endAsk();
  }

  #endAsk(): void {
    this.#asksOpen -= 1;
    if (this.#asksOpen === 0) this.#heldMax = Number.POSITIVE_INFINITY;
  }

  /**
   * Once a tick: what to ask to renew the lease or to hand back surplus; undefined when there is nothing to do.
   * @param isAway the ledger does not answer, and the project goes on without it: nothing is handed back then
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

  /** A call waits for money, until `endWait`: a lease that was forgotten meanwhile would be spent beside its successor. */
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

  /** About a second's worth at the present rate, or what lasts for the grace; a few calls' worth where the rate is not known. */
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
