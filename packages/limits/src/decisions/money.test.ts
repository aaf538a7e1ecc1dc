import fc from "fast-check";
import { expect, test } from "vitest";
import { budgetExhaustedMessage, formatDollars } from "./money.ts";

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

test("the message of an exhausted budget is the specification's", () => {
  expect(budgetExhaustedMessage({ spentMicros: 10_020_000, reservedMicros: 0, budgetMicros: 10_000_000 })).toBe(
    "Endpoint monthly budget exhausted: ~$10.02 spent, budget $10.00. Resets at the start of next month.",
  );
});
