import type { BudgetLease } from "../decisions/budget-lease.ts";
import type { Month } from "../decisions/month.ts";

/** Leases of past months. All of a replica's leases end at once, so one is found without scanning the others. */
export class ExpiringLeases implements Iterable<BudgetLease> {
  readonly #all = new Set<BudgetLease>();
  /** By endpoint and month; several where the clock went back across the end of a month. */
  readonly #byPlace = new Map<string, readonly BudgetLease[]>();

  get size(): number {
    return this.#all.size;
  }

  add(lease: BudgetLease): void {
    this.#all.add(lease);
    const place = placeOf(lease.key.endpointUuid, lease.key.month);
    this.#byPlace.set(place, [...(this.#byPlace.get(place) ?? []), lease]);
  }

  /** The lease that was added first. */
  find(endpointUuid: string, month: Month): BudgetLease | undefined {
    return this.#byPlace.get(placeOf(endpointUuid, month))?.[0];
  }

  delete(lease: BudgetLease): void {
    this.#all.delete(lease);
    const place = placeOf(lease.key.endpointUuid, lease.key.month);
    const others = (this.#byPlace.get(place) ?? []).filter((other) => other !== lease);
    if (others.length === 0) this.#byPlace.delete(place);
    else this.#byPlace.set(place, others);
  }

  [Symbol.iterator](): Iterator<BudgetLease> {
    return this.#all[Symbol.iterator]();
  }
}

function placeOf(endpointUuid: string, month: Month): string {
  return `${endpointUuid} ${month}`;
}
