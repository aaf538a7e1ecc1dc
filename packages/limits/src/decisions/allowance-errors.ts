import { GatewayError } from "@gatehouse/errors";
import type { Admission, BudgetRefusal } from "./allowance.ts";
import { budgetExhaustedMessage, budgetHeldMessage } from "./budget-messages.ts";

/** Error of a refused admission: 429 with the window's `scope`, and the seconds until the window ends. */
export function rateLimited({ scope, retryAfterSeconds }: Extract<Admission, { admitted: false }>): GatewayError {
  return new GatewayError("rate_limited", "Rate limit exceeded.", { details: { scope }, retryAfterSeconds });
}

/** Likely wait for room, seconds: each call in progress that ends frees some. */
const reservedRetryAfterSeconds = 1;

/** Error of a refused reservation: 422 where the budget is spent, 429 where only calls in progress hold the rest. */
export function budgetRefused(refusal: BudgetRefusal): GatewayError {
  if (refusal.reason === "spent") {
    return new GatewayError("budget_exhausted", budgetExhaustedMessage(refusal));
  }
  return new GatewayError("budget_reserved", budgetHeldMessage(refusal), {
    retryAfterSeconds: reservedRetryAfterSeconds,
  });
}

/** Error of a call whose limits cannot be checked, because the database is unreachable. */
export function allowancesUnavailable(cause?: unknown): GatewayError {
  return new GatewayError(
    "unavailable",
    "Rate limits and budgets cannot be checked at the moment. Try again shortly.",
    { cause, retryAfterSeconds: 1 },
  );
}

/** Error of a call that needs a further lease where this process holds `leasesMax`. @param of plural of the limits that they are of */
export function tooManyLeases(of: string, leasesMax: number): GatewayError {
  return new GatewayError("unavailable", `More than ${leasesMax} ${of} are in use at once. Try again shortly.`, {
    retryAfterSeconds: 1,
  });
}
