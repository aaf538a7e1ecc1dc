import { expect, test } from "vitest";
import { PendingConfirmations } from "./pending-confirmations.ts";

const consumers = ["a", "b"];

test("reports of one event are gathered, and written as one", () => {
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

test("a repeated report, and one after everything is written, change nothing", () => {
  const reports = new PendingConfirmations(consumers, 10);
  reports.expect(["1"]);
  reports.record("a", ["1"]);
  reports.record("b", ["1"]);
  for (const report of reports.take()) reports.written(report);
  expect(reports.record("a", ["1"])).toBe(false);
});

test("what could not be written is there at the next attempt, with what came since", () => {
  const reports = new PendingConfirmations(consumers, 10);
  reports.expect(["1"]);
  reports.record("a", ["1"]);
  for (const report of reports.take()) reports.giveBack(report);
  reports.record("b", ["1"]);
  expect(reports.take()).toEqual([{ ids: ["1"], storedBy: ["a", "b"] }]);
});

test("beyond its bound the oldest are forgotten, except those with something to write", () => {
  const reports = new PendingConfirmations(consumers, 2);
  reports.expect(["1", "2"]);
  reports.record("a", ["1"]);
  reports.expect(["3"]);
  reports.record("a", ["2", "3"]);
  expect(reports.take()).toEqual([{ ids: ["1", "3"], storedBy: ["a"] }]);
});
