import { createMutex } from "@gatehouse/async";
import type { Logger } from "@gatehouse/telemetry";
import type { BudgetEvent } from "../decisions/allowance.ts";
import type { BudgetLease } from "../decisions/budget-lease.ts";
import { isUserLedger } from "../decisions/known-users.ts";
import type { BudgetStore, OnBudgetEvent } from "../ledger/budgets.ts";

interface DueBudgetEventsOptions {
  readonly store: BudgetStore;
  readonly onBudgetEvent: OnBudgetEvent;
  readonly onBudgetEventKept: () => void;
  readonly log: Logger;
}

/**
 * Raises a budget's events as its lease shows that they are due; the ledger admits each once a month, and again after the budget was
 * raised.
 */
export class DueBudgetEvents {
  readonly #store: BudgetStore;
  readonly #onBudgetEvent: OnBudgetEvent;
  readonly #onKept: () => void;
  readonly #log: Logger;
  /** Limits the work to one database connection, even for many endpoints at once. */
  readonly #oneAtATime = createMutex();
  readonly #raising = new Map<BudgetLease, Promise<void>>();

  constructor({ store, onBudgetEvent, onBudgetEventKept, log }: DueBudgetEventsOptions) {
    this.#store = store;
    this.#onBudgetEvent = onBudgetEvent;
    this.#onKept = onBudgetEventKept;
    this.#log = log;
  }

  /**
   * Raises due events, one lease at a time; a failed one is due again at the next check of the lease. Users' budgets raise none,
   * since users may be many.
   */
  async raise(lease: BudgetLease): Promise<void> {
    if (isUserLedger(lease.key.endpointUuid)) return;
    const due = lease.dueEvents();
    if (due.length === 0) return;
    const raising = this.#raising.get(lease) ?? this.#raise(lease, due).finally(() => this.#raising.delete(lease));
    this.#raising.set(lease, raising);
    await raising;
  }

  async #raise(lease: BudgetLease, due: readonly BudgetEvent["kind"][]): Promise<void> {
    const { budgetMicros, spentMicros, key } = lease;
    try {
      for (const kind of due) {
        const event = { kind, ...key, spentMicros, budgetMicros };
        await this.#oneAtATime(async () => await this.#store.raise(event, this.#onBudgetEvent));
        lease.markRaised(kind);
        this.#onKept();
      }
    } catch (err) {
      this.#log.warn({ err, endpoint: key.endpointUuid }, "A budget event could not be recorded; trying again.");
    }
  }
}
