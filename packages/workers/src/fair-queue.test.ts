import { expect, test } from "vitest";
import { FairQueue } from "./fair-queue.ts";

test("tenants take turns, regardless of their number of entries", () => {
  const queue = new FairQueue<string>({ entriesMax: 10, entriesPerTenantMax: 10 });
  for (const entry of ["a1", "a2", "a3"]) queue.add("a", entry);
  queue.add("b", "b1");
  queue.add("c", "c1");
  const taken = Array.from({ length: 6 }, () => queue.take());
  expect(taken).toEqual(["a1", "b1", "c1", "a2", "a3", undefined]);
});

test("both bounds refuse entries, and a removed entry makes room", () => {
  const queue = new FairQueue<string>({ entriesMax: 3, entriesPerTenantMax: 2 });
  expect(["a1", "a2", "a3"].map((entry) => queue.add("a", entry))).toEqual([true, true, false]);
  expect(["b1", "b2"].map((entry) => queue.add("b", entry))).toEqual([true, false]);
  expect([queue.remove("a", "a1"), queue.remove("a", "a1")]).toEqual([true, false]);
  expect(queue.add("b", "b2")).toBe(true);
  expect(queue.size).toBe(3);
});
