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
  lease.apply({ leaseMicros, spentMicros, availableMicros, holders: 0 }, lease.askAhead(waiting, false), {
    sentMs: start,
    nowMs: start,
  });
}

test("a lease can be spent until shortly before its expiry", () => {
  const lease = createLease(1_000);
  expect(lease.reserve({ estimateMicros: 10 }, start)).toEqual({ kind: "cold" });
  answer(lease, 500);
  const end = start + allowanceBounds.leaseLifeMs - allowanceBounds.leaseMarginMs;
  expect(lease.reserve({ estimateMicros: 10 }, end - 1)).toEqual({ kind: "held", micros: 10 });
  expect(lease.reserve({ estimateMicros: 10 }, end)).toEqual({ kind: "cold" });
});

test("settled costs stay counted until the ledger has them", () => {
  const lease = createLease(1_000);
  answer(lease, 100, { waiting: 100 });
  expect(lease.reserve({ estimateMicros: 100 }, start)).toEqual({ kind: "held", micros: 100 });
  lease.release(100);
  lease.settle(80);
  expect(lease.reserve({ estimateMicros: 21 }, start)).toMatchObject({ kind: "refused" });
  expect(lease.reserve({ estimateMicros: 20 }, start)).toEqual({ kind: "held", micros: 20 });
  expect(lease.ask(0, 0).needMicros).toBe(100);
  lease.flush(80);
  lease.update({ leaseMicros: 20, spentMicros: 80 });
  expect(lease.ask(0, 0).needMicros).toBe(20);
  expect(lease.reserve({ estimateMicros: 1 }, start)).toMatchObject({ kind: "refused" });
  expect(lease.spentMicros).toBe(80);
});

test("a refused call asks again after a while, since other lessees may return money", () => {
  const lease = createLease(1_000);
  answer(lease, 0);
  expect(lease.reserve({ estimateMicros: 10 }, start)).toMatchObject({ kind: "refused" });
  expect(lease.reserve({ estimateMicros: 10 }, start + allowanceBounds.refusalHoldMs)).toEqual({ kind: "cold" });
});

test("idle money is returned before the tick only where it is more than other lessees can lease", () => {
  const lease = createLease(1_000);
  answer(lease, 400, { waiting: 400, availableMicros: 400 });
  expect(lease.handBack(start)).toBeUndefined();
  answer(lease, 400, { waiting: 400, availableMicros: 399 });
  expect(lease.handBack(start)).toMatchObject({ needMicros: 0 });
  expect(lease.isHoarding).toBe(false);
  lease.askFailed();
  answer(lease, 400, { waiting: 400 });
  lease.reserve({ estimateMicros: 400 }, start);
  expect(lease.handBack(start)).toBeUndefined();
});

test("a lease is renewed only while it is in use or holds money", () => {
  const lease = createLease(1_000);
  answer(lease, 100, { waiting: 100 });
  lease.reserve({ estimateMicros: 100 }, start);
  expect(lease.endTick(start + 1_000)).toBeUndefined();
  expect(lease.endTick(start + 4_000)).toMatchObject({ needMicros: 100, extraMicros: 0 });
  lease.askFailed();
  lease.release(100);
  expect(lease.endTick(start + 4_000)).toMatchObject({ needMicros: 0, extraMicros: 0 });
  lease.askFailed();
  answer(lease, 0);
  expect(lease.endTick(start + 8_000)).toBeUndefined();
  expect(lease.isEmpty).toBe(true);
});

test("a call without cost keeps its lease in use", () => {
  const lease = createLease(1_000);
  answer(lease, 0, { availableMicros: 1_000 });
  expect(lease.reserve({ estimateMicros: 0 }, start)).toEqual({ kind: "held", micros: 0 });
  expect(lease.isEmpty).toBe(false);
  lease.release(0);
  expect(lease.isEmpty).toBe(true);
});

test("each event is due from when the ledger meets its condition until it is raised", () => {
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

test("the events of a raised budget are due again, and those of a lowered one are not", () => {
  const lease = createLease(100);
  answer(lease, 0, { spentMicros: 100 });
  expect(lease.reserve({ estimateMicros: 10 }, start)).toEqual({ kind: "refused", reason: "spent" });
  for (const kind of lease.dueEvents()) lease.markRaised(kind);
  lease.changeBudget(90);
  expect(lease.dueEvents()).toEqual([]);
  lease.changeBudget(125);
  expect(lease.dueEvents()).toEqual(["budget.threshold_reached"]);
  lease.update({ leaseMicros: 0, spentMicros: 125 });
  expect(lease.dueEvents()).toEqual(["budget.threshold_reached", "budget.exhausted"]);
});

test("a call refused for its size does not exhaust the budget, and a budget of 0 is exhausted by its first call", () => {
  const large = createLease(100);
  answer(large, 50, { spentMicros: 10 });
  expect(large.reserve({ estimateMicros: 80 }, start)).toEqual({ kind: "refused", reason: "in_progress" });
  expect(large.reserve({ estimateMicros: 91 }, start)).toEqual({ kind: "refused", reason: "spent" });
  expect(large.dueEvents()).toEqual([]);
  const none = createLease(0);
  answer(none, 0);
  expect(none.dueEvents()).toEqual([]);
  expect(none.reserve({ estimateMicros: 0 }, start)).toEqual({ kind: "refused", reason: "spent" });
  expect(none.dueEvents()).toEqual(["budget.exhausted"]);
});

test("a call gets the rest when it cannot have all, but not a small rest that calls in progress will enlarge", () => {
  const lease = createLease(1_000);
  answer(lease, 1_000);
  const claim = { estimateMicros: 700, leastMicros: 10, sharedMicros: 200 };
  expect(lease.reserve(claim, start)).toEqual({ kind: "held", micros: 700 });
  expect(lease.reserve(claim, start)).toEqual({ kind: "held", micros: 300 });
  expect(lease.reserve(claim, start)).toEqual({ kind: "refused", reason: "in_progress" });
  expect(lease.reservedMicros).toBe(1_000);
  lease.release(700);
  lease.settle(695);
  expect(lease.reserve(claim, start)).toEqual({ kind: "refused", reason: "in_progress" });
  lease.release(300);
  lease.settle(300);
  expect(lease.reserve(claim, start)).toEqual({ kind: "refused", reason: "spent" });
});

test("money offered back by an ask cannot be reserved before the answer, nor after a lost one", () => {
  const lease = createLease(1_000);
  answer(lease, 500);
  const ask = lease.ask(0, 0);
  expect(lease.reserve({ estimateMicros: 1 }, start)).not.toMatchObject({ kind: "held" });
  lease.update({ leaseMicros: 500, spentMicros: 0 });
  expect(lease.reserve({ estimateMicros: 1 }, start)).not.toMatchObject({ kind: "held" });
  lease.askFailed();
  expect(lease.reserve({ estimateMicros: 1 }, start)).not.toMatchObject({ kind: "held" });
  expect(ask).toMatchObject({ inUseMicros: 0, needMicros: 0, extraMicros: 0 });
});

test("a lease is in use while a call waits for it or an ask is in progress", () => {
  const lease = createLease(1_000);
  lease.beginWait();
  expect(lease.isEmpty).toBe(false);
  lease.endWait();
  expect(lease.isEmpty).toBe(true);
  lease.ask(0, 0);
  expect(lease.isEmpty).toBe(false);
  lease.askFailed();
  expect(lease.isEmpty).toBe(true);
});

test("money that is being returned does not count as held by calls in progress", () => {
  const lease = createLease(1_000);
  answer(lease, 1_000);
  lease.ask(0, 0);
  const claim = { estimateMicros: 1_001, leastMicros: 900, sharedMicros: 900 };
  expect(lease.reserve(claim, start)).toEqual({ kind: "cold" });
  expect(lease.reservedMicros).toBe(0);
});

test("during an outage of the ledger, leased money is spent beyond its expiry and nothing is returned", () => {
  const lease = createLease(1_000);
  expect(lease.reserve({ estimateMicros: 10 }, start, true)).toEqual({ kind: "cold" });
  answer(lease, 500);
  const late = start + 10 * allowanceBounds.leaseLifeMs;
  expect(lease.reserve({ estimateMicros: 10 }, late)).toEqual({ kind: "cold" });
  expect(lease.reserve({ estimateMicros: 400 }, late, true)).toEqual({ kind: "held", micros: 400 });
  expect(lease.endTick(late, true)).toMatchObject({ needMicros: 400, extraMicros: 100 });
  lease.askFailed();
  expect(lease.reserve({ estimateMicros: 200, leastMicros: 50 }, late, true)).toEqual({ kind: "held", micros: 100 });
  expect(lease.reserve({ estimateMicros: 1 }, late, true)).toEqual({ kind: "cold" });
  lease.changeBudget(2_000);
  lease.release(400);
  expect(lease.reserve({ estimateMicros: 1 }, late, true)).toEqual({ kind: "cold" });
});

test("during an outage of the ledger, a refill returns none of the leased money", () => {
  const lease = createLease(1_000);
  answer(lease, 500);
  const late = start + 10 * allowanceBounds.leaseLifeMs;
  expect(lease.reserve({ estimateMicros: 10 }, late, true)).toEqual({ kind: "held", micros: 10 });
  expect(lease.askAhead(0, true)).toMatchObject({ needMicros: 10, extraMicros: 490 });
  lease.askFailed();
  expect(lease.reserve({ estimateMicros: 490 }, late, true)).toEqual({ kind: "held", micros: 490 });
  // The extra amount of the ask stays.
  expect(lease.askAhead(100, true)).toMatchObject({ needMicros: 600, extraMicros: 3_920 });
});

test("a lease with a grace for outages holds money for that time ahead", () => {
  const extraAt = (graceMs: number) => {
    const lease = createLease(1_000_000);
    lease.changeGrace(graceMs);
    answer(lease, 500_000);
    for (let call = 0; call < 100; call++) lease.reserve({ estimateMicros: 10 }, start);
    return lease.askAhead(0, false).extraMicros;
  };
  expect(extraAt(0)).toBe(1_000);
  expect(extraAt(60_000)).toBe(60_000);
});
