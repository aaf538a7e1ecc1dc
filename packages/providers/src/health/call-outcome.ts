import type { CallOutcome } from "@gatehouse/upstream-http";
import { contextLengthExceeded, type ProviderError } from "../provider.ts";

/**
 * Meaning of a failed attempt for the health of the model that was asked. The failures that permit failover count against it,
 * save that of a request too long for it; after another error status it is alive and the request was at fault; an attempt that
 * was given up says nothing.
 */
export function callOutcomeOf(failure: ProviderError): CallOutcome {
  if (failure.failure === "aborted") return "unclear";
  if (failure.code === contextLengthExceeded) return "alive";
  return failure.mayFailOver ? "failed" : "alive";
}

/** A failure as one short word for logs, spans and administrators: `timeout`, `status_503`. Holds nothing that anybody sent. */
export function failureCodeOf({ failure, status }: ProviderError): string {
  return failure === "status" ? `status_${status ?? "unknown"}` : failure;
}
