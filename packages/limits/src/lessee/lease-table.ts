import { tooManyLeases } from "../decisions/allowance-errors.ts";
import type { ReservationRequest } from "../decisions/allowance.ts";
import { allowanceBounds } from "../decisions/bounds.ts";
import { type BudgetAsk, BudgetLease } from "../decisions/budget-lease.ts";
import type { Month } from "../decisions/month.ts";
import { ExpiringLeases } from "./expiring-leases.ts";

/** A replica's leases of budgets: those of the current month, by endpoint, and of earlier months until their last call is settled. */
export class LeaseTable {
  readonly #current = new Map<string, BudgetLease>();
  readonly #ending = new ExpiringLeases();

  get size(): number {
    return this.#current.size + this.#ending.size;
  }

  all(): BudgetLease[] {
    return [...this.#current.values(), ...this.#ending];
  }

  find(endpointUuid: string, month: Month): BudgetLease | undefined {
    const current = this.#current.get(endpointUuid);
    return current?.key.month === month ? current : this.#ending.find(endpointUuid, month);
  }

  /** The lease of an endpoint's month, made where there is none. @throws GatewayError where there are too many */
  open(
    { endpointUuid, projectUuid }: ReservationRequest,
    month: Month,
    budgetMicros: number,
    nowMs: number,
  ): BudgetLease {
    const existing = this.#current.get(endpointUuid);
    if (existing?.key.month === month) {
      existing.changeBudget(budgetMicros);
      return existing;
    }
    if (existing !== undefined) this.#ending.add(existing);
    if (this.#current.size >= allowanceBounds.leasesMax) {
      throw tooManyLeases("endpoints with a budget", allowanceBounds.leasesMax);
    }
    const lease = new BudgetLease({ endpointUuid, projectUuid, month }, budgetMicros, nowMs);
    this.#current.set(endpointUuid, lease);
    return lease;
  }

  /** Moves the leases of other months to those that end. */
  retire(month: Month): void {
    for (const [endpointUuid, lease] of this.#current) {
      if (lease.key.month === month) continue;
      this.#current.delete(endpointUuid);
      this.#ending.add(lease);
    }
  }

  /** Forgets leases without money and calls; those of the month only where they are also idle. */
  sweep(isIdle: (lease: BudgetLease) => boolean): void {
    for (const [key, lease] of this.#current) if (lease.isEmpty && isIdle(lease)) this.#current.delete(key);
    for (const lease of this.#ending) if (lease.isEmpty) this.#ending.delete(lease);
  }
}

/** A lease, and its ask in one renewal. */
export interface AskedBudget {
  readonly lease: BudgetLease;
  readonly ask: BudgetAsk;
}

/** The ask of a lease for a renewal; none where there is nothing to ask. */
export function toAsked(lease: BudgetLease, ask: BudgetAsk | undefined): readonly AskedBudget[] {
  return ask === undefined ? [] : [{ lease, ask }];
}
