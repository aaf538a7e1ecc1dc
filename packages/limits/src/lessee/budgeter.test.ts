import { createMutex } from "@gatehouse/async";
import { oldSpaceGrowth } from "@gatehouse/async/testing";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import type { Reservation, ReservationRequest } from "../decisions/allowance.ts";
import type { BudgetStore } from "../ledger/budgets.ts";
import { Budgeter } from "./budgeter.ts";
import { DatabaseClock, monotonicClock } from "./database-clock.ts";
import { LedgerOutage } from "./ledger-outage.ts";

/** A budgeter without a database, for calls without a budget. */
function openBudgeter(): Budgeter {
  const store: BudgetStore = {
    renew: async () => await Promise.reject(new Error("no database")),
    reclaim: async () => {},
    raise: async () => {},
  };
  return new Budgeter({
    store,
    replicaId: "r",
    clock: new DatabaseClock(monotonicClock),
    log: createSilentTelemetry().log,
    exclusively: createMutex(),
    onSettled: () => {},
    onBudgetEvent: () => {},
    onBudgetEventKept: () => {},
    messages: undefined,
    outage: new LedgerOutage(monotonicClock),
  });
}

function reserveNow(budgeter: Budgeter, request: Partial<ReservationRequest> = {}): Reservation {
  const owner = { endpointUuid: "e", projectUuid: "p", tokenId: 1 };
  const result = budgeter.reserve({ ...owner, budgetMicros: null, estimateMicros: 0, ...request });
  if (!("ok" in result) || !result.ok) throw new Error("The call waits, or is refused.");
  return result.reservation;
}

test("a reservation ends once", () => {
  const budgeter = openBudgeter();
  const [first, second] = [reserveNow(budgeter), reserveNow(budgeter)];
  expect(budgeter.openCount).toBe(2);
  expect(budgeter.release(first)).toBe(true);
  expect(budgeter.release(first)).toBe(false);
  expect(budgeter.release(second)).toBe(true);
  expect(budgeter.openCount).toBe(0);
});

test("reservations of ended calls are not held by earlier storage of the open ones", () => {
  const budgeter = openBudgeter();
  const live: Reservation[] = [];
  const come = () => {
    const parts = Array.from({ length: 50 }, () => ({}));
    live.push(reserveNow(budgeter, { parts } as Partial<ReservationRequest>));
  };
  for (let made = 0; made < 4; made += 1) come();
  // The budgeter and its first reservations are promoted to the old space.
  const churn: object[] = [];
  for (let made = 0; made < 1_000_000; made += 1) churn[made % 4] = { made };
  const growth = oldSpaceGrowth(100_000, () => {
    come();
    const left = live.length > 8 ? live.shift() : undefined;
    if (left !== undefined) budgeter.release(left);
  });
  expect(growth).toBeLessThan(20e6);
});
