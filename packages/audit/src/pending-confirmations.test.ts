import { expect, test } from "vitest";
import { PendingConfirmations } from "./pending-confirmations.ts";

const consumers = ["a", "b"];

test("reports about one event are combined into one write", () => {
  const reports = new PendingConfirmations(consumers, 10);
  reports.expect(["1", "2"]);
  reports.record("a", ["1", "2"]);
  reports.record("b", ["1"]);
  expect(reports.take()).toEqual([
    { ids: ["1"], storedBy: ["a", "b"] },
    { ids: ["2"], storedBy: ["a"] },
  ]);
  expect(reports.take()).toEqual([]);
});

test("reports of events or consumers without a waiter are ignored", () => {
  const reports = new PendingConfirmations(consumers, 10);
  reports.expect(["1"]);
  expect(reports.record("c", ["1"])).toBe(false);
  expect(reports.record("a", ["2"])).toBe(false);
  expect(reports.take()).toEqual([]);
});

test("a repeated report, and one after the last write, change nothing", () => {
  const reports = new PendingConfirmations(consumers, 10);
  reports.expect(["1"]);
  reports.record("a", ["1"]);
  reports.record("b", ["1"]);
  for (const report of reports.take()) reports.written(report);
  expect(reports.record("a", ["1"])).toBe(false);
});

test("a report that could not be written is in the next attempt, with later reports", () => {
  const reports = new PendingConfirmations(consumers, 10);
  reports.expect(["1"]);
  reports.record("a", ["1"]);
  for (const report of reports.take()) reports.giveBack(report);
  reports.record("b", ["1"]);
  expect(reports.take()).toEqual([{ ids: ["1"], storedBy: ["a", "b"] }]);
});

test("the oldest events beyond the bound are dropped, except those with reports to write", () => {
  const reports = new PendingConfirmations(consumers, 2);
  reports.expect(["1", "2"]);
  reports.record("a", ["1"]);
  reports.expect(["3"]);
  reports.record("a", ["2", "3"]);
  expect(reports.take()).toEqual([{ ids: ["1", "3"], storedBy: ["a"] }]);
});
