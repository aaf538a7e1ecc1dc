import { expect, test } from "vitest";
import { allowanceBounds } from "./bounds.ts";
import { BudgetLease } from "./budget-lease.ts";

const start = Date.parse("2026-03-10T10:00:00Z");

function createLease(budget: number): BudgetLease {
  return new BudgetLease({ endpointUuid: "e", projectUuid: "p", month: "2026-03" }, budget, start);
}

function answer(
  lease: BudgetLease,
  leaseMicros: number,
  { spentMicros = 0, availableMicros = 0, waiting = 0 } = {},
): void {
  lease.apply({ leaseMicros, spentMicros, availableMicros }, lease.ask(waiting), { sentMs: start, nowMs: start });
}

test("a lease is spent until shortly before the database takes it back", () => {
  const lease = createLease(1_000);
  expect(lease.reserve(10, start)).toBe("cold");
  answer(lease, 500);
  const end = start + allowanceBounds.leaseLifeMs - allowanceBounds.leaseMarginMs;
  expect(lease.reserve(10, end - 1)).toBe("reserved");
  expect(lease.reserve(10, end)).toBe("cold");
});

test("settled costs stay counted until the ledger has them", () => {
  const lease = createLease(1_000);
  answer(lease, 100, { waiting: 100 });
  expect(lease.reserve(100, start)).toBe("reserved");
  lease.release(100);
  lease.settle(80);
  expect(lease.reserve(21, start)).toBe("refused");
  expect(lease.reserve(20, start)).toBe("reserved");
  expect(lease.ask(0, 0).needMicros).toBe(100);
  lease.flush(80);
  lease.update({ leaseMicros: 20, spentMicros: 80 });
  expect(lease.ask(0, 0).needMicros).toBe(20);
  expect(lease.reserve(1, start)).toBe("refused");
  expect(lease.spentMicros).toBe(80);
});

test("what others may still give back is asked for again after a while", () => {
  const lease = createLease(1_000);
  answer(lease, 0);
  expect(lease.reserve(10, start)).toBe("refused");
  expect(lease.reserve(10, start + allowanceBounds.refusalHoldMs)).toBe("cold");
});

test("a lease is renewed while something depends on it, and not otherwise", () => {
  const lease = createLease(1_000);
  answer(lease, 100, { waiting: 100 });
  lease.reserve(100, start);
  expect(lease.endTick(start + 1_000)).toBeUndefined();
  expect(lease.endTick(start + 4_000)).toMatchObject({ needMicros: 100, extraMicros: 0 });
  lease.release(100);
  expect(lease.endTick(start + 4_000)).toMatchObject({ needMicros: 0, extraMicros: 0 });
  answer(lease, 0);
  expect(lease.endTick(start + 8_000)).toBeUndefined();
  expect(lease.isEmpty).toBe(true);
});

test("a call that costs nothing keeps its lease from being forgotten", () => {
  const lease = createLease(1_000);
  answer(lease, 0, { availableMicros: 1_000 });
  expect(lease.reserve(0, start)).toBe("reserved");
  expect(lease.isEmpty).toBe(false);
  lease.release(0);
  expect(lease.isEmpty).toBe(true);
});

test("each event is due once its condition is in the ledger, until it is raised", () => {
  const lease = createLease(100);
  answer(lease, 50, { spentMicros: 79 });
  expect(lease.dueEvents()).toEqual([]);
  lease.update({ leaseMicros: 49, spentMicros: 80 });
  expect(lease.dueEvents()).toEqual(["budget.threshold_reached"]);
  lease.markRaised("budget.threshold_reached");
  lease.update({ leaseMicros: 0, spentMicros: 100 });
  expect(lease.dueEvents()).toEqual(["budget.exhausted"]);
  lease.markRaised("budget.exhausted");
  expect(lease.dueEvents()).toEqual([]);
});

test("a call that is refused for its size does not end the budget, and a budget of 0 ends with its first call", () => {
  const large = createLease(100);
  answer(large, 50, { spentMicros: 10 });
  expect(large.reserve(80, start)).toBe("refused");
  expect(large.dueEvents()).toEqual([]);
  const none = createLease(0);
  answer(none, 0);
  expect(none.dueEvents()).toEqual([]);
  expect(none.reserve(0, start)).toBe("refused");
  expect(none.dueEvents()).toEqual(["budget.exhausted"]);
});
