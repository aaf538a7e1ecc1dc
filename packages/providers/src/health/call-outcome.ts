import type { CallOutcome } from "@gatehouse/upstream-http";
import { contextLengthExceeded, type ProviderError } from "../provider.ts";

/**
 * Effect of a failed attempt on the model's health. Failures that permit failover count against it, except a request too long for
 * it; after another error status the request was at fault, so the model is alive; an aborted attempt says nothing.
 */
export function callOutcomeOf(failure: ProviderError): CallOutcome {
  if (failure.failure === "aborted") return "unclear";
  if (failure.code === contextLengthExceeded) return "alive";
  return failure.mayFailOver ? "failed" : "alive";
}

/** A failure as one short word for logs, spans and administrators: `timeout`, `status_503`. Contains no text of callers or providers. */
export function failureCodeOf({ failure, status }: ProviderError): string {
  return failure === "status" ? `status_${status ?? "unknown"}` : failure;
}
