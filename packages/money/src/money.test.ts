import fc from "fast-check";
import { expect, test } from "vitest";
import { formatDollars, toDollars, toMicros } from "./money.ts";

test.each([
  [0, "$0.00"],
  [10_000_000, "$10.00"],
  [10_020_000, "$10.02"],
  [1, "$0.000001"],
  [125_000, "$0.125"],
  [1_000_000_000_000_000, "$1000000000.00"],
  [-1_500_000, "-$1.50"],
])("%i micro-dollars are written %s", (micros, text) => {
  expect(formatDollars(micros)).toBe(text);
});

test("an amount is written with 2 to 6 decimals, and nothing of it is lost", () => {
  fc.assert(
    fc.property(fc.nat(2_000_000_000), (micros) => {
      const text = formatDollars(micros);
      expect(text).toMatch(/^\$\d+\.\d{2,6}$/);
      expect(Math.round(Number(text.slice(1)) * 1_000_000)).toBe(micros);
    }),
  );
});

test.each([
  [0, 0],
  [-0, 0],
  [0.1, 100_000],
  [0.000001, 1],
  [1_000_000_000, 1_000_000_000_000_000],
])("%d dollars are %d micro-dollars, and back", (usd, micros) => {
  expect(toMicros(usd)).toBe(micros);
  expect(toDollars(micros)).toBe(usd + 0);
});
