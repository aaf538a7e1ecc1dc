import { expect, test } from "vitest";
import { budgetExhaustedMessage } from "./budget-messages.ts";

test("the message of an exhausted budget is the specification's", () => {
  expect(budgetExhaustedMessage({ spentMicros: 10_020_000, reservedMicros: 0, budgetMicros: 10_000_000 })).toBe(
    "Endpoint monthly budget exhausted: ~$10.02 spent, budget $10.00. Resets at the start of next month.",
  );
});
