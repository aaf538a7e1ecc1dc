import { type ErrorCode, type GatewayError, isGatewayError } from "@gatehouse/errors";

/** Failures that leave open whether the change was made: only its reply may have been lost. */
const unsettledCodes: ReadonlySet<ErrorCode> = new Set(["unavailable", "deadline_exceeded", "cancelled", "internal"]);

/** Whether a change was judged, and not made; every other failure leaves open whether it was made. */
export function isRefusal(err: unknown): err is GatewayError {
  return isGatewayError(err) && !unsettledCodes.has(err.code);
}

/** The message, with its detail where it has one. */
export function describeRefusal({ message, details }: GatewayError): string {
  const detail = details["detail"];
  return typeof detail === "string" && !message.includes(detail) ? `${message} ${detail}` : message;
}
