import { type GatewayError, isGatewayError } from "./gateway-error.ts";

/**
 * Reason for aborting a call that has ended before its answer. Its cause is the error that the caller got, which
 * {@link endOfAbort} finds; everything else sees an ordinary `AbortError`.
 */
export function toAbortReason(end: GatewayError): Error {
  return Object.assign(new Error(end.message, { cause: end }), { name: "AbortError" });
}

/** The error that the caller of an aborted call got; undefined where the signal has not fired, or for another reason. */
export function endOfAbort({ reason }: { readonly reason: unknown }): GatewayError | undefined {
  const cause = reason instanceof Error ? reason.cause : undefined;
  return isGatewayError(cause) ? cause : undefined;
}
