import { formatDollars } from "@gatehouse/money";
import type { BudgetRefusal } from "./allowance.ts";

type Refused = Pick<BudgetRefusal, "payer" | "spentMicros" | "reservedMicros" | "budgetMicros">;

/** Message of the 422, for an endpoint's or a user's budget. */
export function budgetExhaustedMessage(refusal: Refused): string {
  const spent = formatDollars(refusal.spentMicros);
  const budget = formatDollars(refusal.budgetMicros);
  return `${payerOf(refusal)} monthly budget exhausted: ~${spent} spent, budget ${budget}. Resets at the start of next month.`;
}

/** Message of the 429. */
export function budgetHeldMessage(refusal: Refused): string {
  const [spent, reserved, budget] = [refusal.spentMicros, refusal.reservedMicros, refusal.budgetMicros].map(
    formatDollars,
  );
  return `${payerOf(refusal)} monthly budget is held by calls in progress: ~${reserved} reserved, ~${spent} spent, budget ${budget}. Try again when they have ended.`;
}

function payerOf({ payer }: Refused): string {
  return payer === "user" ? "User" : "Endpoint";
}
