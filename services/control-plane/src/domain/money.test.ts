import * as fc from "fast-check";
import { expect, test } from "vitest";
import { dollars, toDollars } from "./money.ts";

const budget = dollars("A budget.");

test("every amount of whole micro-dollars survives the way in and out", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000_000_000_000 }), (micros) => {
      expect(budget.read(toDollars(micros), "budget")).toBe(micros);
    }),
    { numRuns: 2_000 },
  );
});

test("amounts are exact where binary fractions are not", () => {
  expect([0.1, 0.2, 0.3, 1.005, 10.02, 0.000_001].map((usd) => budget.read(usd, "b"))).toEqual([
    100_000, 200_000, 300_000, 1_005_000, 10_020_000, 1,
  ]);
});

test("a negative zero is zero", () => {
  expect(Object.is(budget.read(-0, "b"), 0)).toBe(true);
});

test.each([
  [0.000_000_1, "must have at most 6 decimals"],
  [0.1 + 0.2, "must have at most 6 decimals"],
  [-1, "must be from 0 to 1000000000"],
  [1_000_000_001, "must be from 0 to 1000000000"],
  [Infinity, "must be from 0 to 1000000000"],
  ["1", "must be number"],
])("%s is refused", (value, problem) => {
  expect(() => budget.read(value, "budget")).toThrow(`budget ${problem}`);
});
