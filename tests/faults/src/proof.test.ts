import { expect, test } from "vitest";
import { isKept, memorySlope, type ProofOutcome } from "./proof.ts";

const kept: ProofOutcome = {
  acknowledged: 5,
  lost: 0,
  unaudited: 0,
  auditedTwice: 0,
  isChainWhole: true,
  budget: 4,
  answeredCost: 3.998,
  billed: 4,
};

test("a run passes only if nothing is lost, the audit chain holds and the budget is exact", () => {
  expect(isKept(kept)).toBe(true);
  const broken: readonly Partial<ProofOutcome>[] = [
    { lost: 1 },
    { unaudited: 1 },
    { auditedTwice: 1 },
    { isChainWhole: false },
    { billed: 4.000_001 },
    { billed: 3.99 },
  ];
  for (const changes of broken) expect(isKept({ ...kept, ...changes })).toBe(false);
});

test("the slope of memory is measured after the start, in megabytes a minute", () => {
  const readings = Array.from({ length: 40 }, (_, at) => ({ atMs: at * 6_000, megabytes: at < 10 ? 0 : 1_000 + at }));
  expect(memorySlope(readings)?.perMinute).toBeCloseTo(10);
  expect(memorySlope(readings)?.error).toBeCloseTo(0);
  expect(memorySlope(readings.slice(0, 5))).toBeUndefined();
});

test("a slope within the spread of the readings is below twice its error", () => {
  const level = Array.from({ length: 40 }, (_, at) => ({ atMs: at * 6_000, megabytes: 1_000 + (at % 2) * 40 }));
  const slope = memorySlope(level);
  expect(Math.abs(slope?.perMinute ?? 0)).toBeLessThan(2 * (slope?.error ?? 0));
});
