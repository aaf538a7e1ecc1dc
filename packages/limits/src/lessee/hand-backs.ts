import type { BudgetLease } from "../decisions/budget-lease.ts";

interface HandBacksOptions {
  /** Sends {@link BudgetLease.handBack} of the lease. */
  readonly send: (lease: BudgetLease) => Promise<void>;
  /** Whether the surplus is wanted here, or cannot be returned now. */
  readonly isKept: (lease: BudgetLease) => boolean;
}

/**
 * Returns surplus of leases at the end of calls whose budget is nearly used up, unless the next call of this replica takes it at
 * once. Until the next tick, other replicas would refuse calls for money that no call holds.
 */
export class HandBacks {
  readonly #options: HandBacksOptions;
  readonly #underWay = new Set<BudgetLease>();

  constructor(options: HandBacksOptions) {
    this.#options = options;
  }

  /** Call at the end of a call. A failure is left to the tick. */
  callEnded(lease: BudgetLease | undefined): void {
    if (lease === undefined || !lease.isHoarding || this.#underWay.has(lease)) return;
    this.#underWay.add(lease);
    setImmediate(() => {
      const sent = this.#options.isKept(lease) ? Promise.resolve() : this.#options.send(lease);
      void sent.catch(() => {}).finally(() => this.#underWay.delete(lease));
    });
  }
}
