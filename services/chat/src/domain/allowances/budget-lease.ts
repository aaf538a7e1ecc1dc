import { type BudgetEvent, budgetThresholdPercent } from "./allowance.ts";
import { allowanceBounds as bounds } from "./bounds.ts";
import type { Micros } from "./money.ts";
import type { Month } from "./month.ts";

/** What a replica asks of the database for one endpoint's month. Totals, not differences, so that repeating it is harmless. */
export interface BudgetAsk {
  readonly endpointUuid: string;
  readonly projectUuid: string;
  readonly month: Month;
  readonly budgetMicros: Micros;
  /** What the lease must hold: reservations, settled calls not yet in the ledger, and the calls that wait. */
  readonly needMicros: Micros;
  /** What it may hold beyond that. */
  readonly extraMicros: Micros;
}

/** The ledger after an exchange. */
export interface BudgetAnswer {
  readonly leaseMicros: Micros;
  readonly spentMicros: Micros;
  /** What is left to lease for anybody. */
  readonly availableMicros: Micros;
}

/** `reserved`: the estimate is held. `refused`: the budget does not allow it. `cold`: only the database knows. */
export type BudgetDecision = "reserved" | "refused" | "cold";

export interface BudgetLeaseKey {
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
  #held: Micros = 0;
  #reserved: Micros = 0;
  #reservations = 0;
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

  /** Holds an estimate if the lease has it. `nowMs` by the clock that `apply` is given. */
  reserve(estimateMicros: Micros, nowMs: number): BudgetDecision {
    if (nowMs >= this.#validUntilMs) return "cold";
    if (this.spentMicros >= this.#budget) return this.#refuse();
    if (this.#free >= estimateMicros) {
      this.#reserved += estimateMicros;
      this.#reservations += 1;
      this.#reservedNow += estimateMicros;
      this.#lastEstimate = estimateMicros;
      this.#usedAtMs = nowMs;
      return "reserved";
    }
    const isKnown = nowMs < this.#availableUntilMs;
    return isKnown && estimateMicros > this.#free + this.#available ? this.#refuse() : "cold";
  }

  #refuse(): BudgetDecision {
    this.#hasRefused = true;
    return "refused";
  }

  /** Events whose condition is met by what the ledger holds, and that are not known to be raised this month. */
  dueEvents(): BudgetEvent["kind"][] {
    const isNear = this.#budget > 0 && this.#spent * 100 >= this.#budget * budgetThresholdPercent;
    // A refusal of one large estimate is not the end of the budget; a budget of 0 ends with the first call.
    const isExhausted = this.#spent >= this.#budget && (this.#budget > 0 || this.#hasRefused);
    const due: BudgetEvent["kind"][] = [];
    if (isNear && !this.#raised.has("budget.threshold_reached")) due.push("budget.threshold_reached");
    if (isExhausted && !this.#raised.has("budget.exhausted")) due.push("budget.exhausted");
    return due;
  }

  /** The database has it that this event was raised, by whichever replica. */
  markRaised(kind: BudgetEvent["kind"]): void {
    this.#raised.add(kind);
  }

  /** Whether more should be fetched while there is still some left. */
  get isLow(): boolean {
    return this.#free < this.#refillBelow;
  }

  /** Ends a reservation. */
  release(estimateMicros: Micros): void {
    this.#reserved -= estimateMicros;
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
    this.#held = leaseMicros;
    this.#spent = spentMicros;
  }

  ask(waitingMicros: Micros, extraMicros = this.#wish(waitingMicros)): BudgetAsk {
    const needMicros = this.#reserved + this.#unflushed + waitingMicros;
    return { ...this.key, budgetMicros: this.#budget, needMicros, extraMicros };
  }

  /** Takes the answer to an ask; `sentMs` is when the ask left, for the lease's life began after that. */
  apply(answer: BudgetAnswer, { budgetMicros, needMicros }: BudgetAsk, { sentMs, nowMs }: ExchangeTimes): void {
    this.#held = answer.leaseMicros;
    this.#spent = answer.spentMicros;
    this.#available = answer.availableMicros;
    this.#refillBelow = Math.max(0, Math.ceil((answer.leaseMicros - needMicros) / 2));
    if (budgetMicros !== this.#budget) return;
    this.#validUntilMs = sentMs + bounds.leaseLifeMs - bounds.leaseMarginMs;
    this.#availableUntilMs = nowMs + bounds.refusalHoldMs;
  }

  /**
   * Once a tick: what to ask to renew the lease or to hand back surplus; undefined when there is nothing to do.
   */
  endTick(nowMs: number): BudgetAsk | undefined {
    const share = Math.floor(this.#available / bounds.leaseShare);
    const keep = this.isIdle(nowMs) ? 0 : Math.min(share, Math.max(2 * this.#reservedNow, this.#ahead()));
    this.#reservedBefore = this.#reservedNow;
    this.#reservedNow = 0;
    const isEnding = !this.isEmpty && this.#validUntilMs - nowMs < bounds.leaseRenewBelowMs;
    return isEnding || this.#free > keep ? this.ask(0, keep) : undefined;
  }

  isIdle(nowMs: number): boolean {
    return nowMs - this.#usedAtMs >= bounds.idleMs;
  }

  /** Nothing of it is left to look after. */
  get isEmpty(): boolean {
    return this.#held === 0 && this.#reservations === 0 && this.#unflushed === 0;
  }

  /** About a second's worth at the present rate; a few calls' worth where the rate is not known. */
  #wish(waitingMicros: Micros): Micros {
    return Math.max(bounds.callsAhead * waitingMicros, this.#ahead(), this.#reservedNow, this.#reservedBefore);
  }

  #ahead(): Micros {
    return bounds.callsAhead * this.#lastEstimate;
  }
}

export interface ExchangeTimes {
  readonly sentMs: number;
  readonly nowMs: number;
}
