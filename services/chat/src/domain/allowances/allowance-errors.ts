import { GatewayError } from "@gatehouse/errors";
import type { Admission, ReserveResult } from "./allowance.ts";
import { budgetExhaustedMessage } from "./money.ts";

/** The 429 of a refused admission, with `scope`, `retry_after` and `Retry-After`. */
export function rateLimited({ scope, retryAfterSeconds }: Extract<Admission, { admitted: false }>): GatewayError {
  return new GatewayError("rate_limited", "Rate limit exceeded.", { details: { scope }, retryAfterSeconds });
}

/** The 422 of a refused reservation. */
export function budgetExhausted(refusal: Extract<ReserveResult, { ok: false }>): GatewayError {
  return new GatewayError("budget_exhausted", budgetExhaustedMessage(refusal.spentMicros, refusal.budgetMicros));
}

/** Neither yes nor no can be said, because the database that knows is away. */
export function allowancesUnavailable(cause?: unknown): GatewayError {
  return new GatewayError("unavailable", "Limits cannot be checked at the moment.", { cause, retryAfterSeconds: 1 });
}
