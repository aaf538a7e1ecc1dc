import { GatewayError } from "@gatehouse/errors";
import type { Admission, BudgetRefusal } from "./allowance.ts";
import { budgetExhaustedMessage, budgetHeldMessage } from "./budget-messages.ts";

/** The 429 of a refused admission, with `scope`, `retry_after` and `Retry-After`. */
export function rateLimited({ scope, retryAfterSeconds }: Extract<Admission, { admitted: false }>): GatewayError {
  return new GatewayError("rate_limited", "Rate limit exceeded.", { details: { scope }, retryAfterSeconds });
}

/** Seconds after which room is likely: each call in progress that ends makes some. */
const reservedRetryAfterSeconds = 1;

/** A refused reservation: 422 where the budget is spent, 429 where only calls in progress stand in the way. */
export function budgetRefused(refusal: BudgetRefusal): GatewayError {
  if (refusal.reason === "spent") {
    return new GatewayError("budget_exhausted", budgetExhaustedMessage(refusal));
  }
  return new GatewayError("budget_reserved", budgetHeldMessage(refusal), {
    retryAfterSeconds: reservedRetryAfterSeconds,
  });
}

/** Refusal of a call whose limits cannot be checked, because the database is unreachable. */
export function allowancesUnavailable(cause?: unknown): GatewayError {
  return new GatewayError("unavailable", "Limits cannot be checked at the moment.", { cause, retryAfterSeconds: 1 });
}
