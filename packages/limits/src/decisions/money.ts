import type { BudgetRefusal } from "./allowance.ts";

/** Millionths of a US dollar, a whole number; the unit of every amount in the ledger. */
export type Micros = number;

const microsPerDollar = 1_000_000;

/** With a dollar sign and 2 to 6 decimals, e.g. `$10.00`, `$0.000125`. */
export function formatDollars(micros: Micros): string {
  const sign = micros < 0 ? "-" : "";
  const whole = Math.floor(Math.abs(micros) / microsPerDollar);
  const fraction = String(Math.abs(micros) % microsPerDollar).padStart(6, "0");
  return `${sign}$${whole}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, "")}`;
}

type Refused = Pick<BudgetRefusal, "payer" | "spentMicros" | "reservedMicros" | "budgetMicros">;

/** The text of the 422; of a user's budget likewise. */
export function budgetExhaustedMessage(refusal: Refused): string {
  const spent = formatDollars(refusal.spentMicros);
  const budget = formatDollars(refusal.budgetMicros);
  return `${payerOf(refusal)} monthly budget exhausted: ~${spent} spent, budget ${budget}. Resets at the start of next month.`;
}

/** The text of the 429. */
export function budgetHeldMessage(refusal: Refused): string {
  const [spent, reserved, budget] = [refusal.spentMicros, refusal.reservedMicros, refusal.budgetMicros].map(
    formatDollars,
  );
  return `${payerOf(refusal)} monthly budget is held by calls in progress: ~${reserved} reserved, ~${spent} spent, budget ${budget}. Try again when they have ended.`;
}

function payerOf({ payer }: Refused): string {
  return payer === "user" ? "User" : "Endpoint";
}
