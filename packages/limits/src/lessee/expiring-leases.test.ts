import { expect, test } from "vitest";
import { BudgetLease } from "../decisions/budget-lease.ts";
import { ExpiringLeases } from "./expiring-leases.ts";

function leaseOf(endpointUuid: string, month: string): BudgetLease {
  return new BudgetLease({ endpointUuid, projectUuid: "p", month }, 1_000, 0);
}

test("a lease is found by its endpoint and month until it is deleted", () => {
  const leases = new ExpiringLeases();
  const [one, other, later] = [leaseOf("a", "2026-10"), leaseOf("b", "2026-10"), leaseOf("a", "2026-11")];
  for (const lease of [one, other, later]) leases.add(lease);
  expect([leases.find("a", "2026-10"), leases.find("b", "2026-10"), leases.find("a", "2026-11")]).toEqual([
    one,
    other,
    later,
  ]);
  expect(leases.find("b", "2026-11")).toBeUndefined();
  leases.delete(one);
  expect(leases.find("a", "2026-10")).toBeUndefined();
  expect([...leases]).toEqual([other, later]);
});

test("a second lease of one endpoint and month is found after the first is deleted", () => {
  const leases = new ExpiringLeases();
  const [first, second] = [leaseOf("a", "2026-10"), leaseOf("a", "2026-10")];
  leases.add(first);
  leases.add(second);
  expect(leases.find("a", "2026-10")).toBe(first);
  leases.delete(first);
  expect(leases.find("a", "2026-10")).toBe(second);
  expect(leases.size).toBe(1);
});
