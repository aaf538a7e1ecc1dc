import { type ErrorCode, type GatewayError, isGatewayError } from "@gatehouse/errors";

/** Failures after which the change may have been made: only its reply may be lost. */
const unsettledCodes: ReadonlySet<ErrorCode> = new Set(["unavailable", "deadline_exceeded", "cancelled", "internal"]);

/** Whether the change was refused and so not made; after other failures it may have been made. */
export function isRefusal(err: unknown): err is GatewayError {
  return isGatewayError(err) && !unsettledCodes.has(err.code);
}

/** Message for a refused change of a plan; `details.detail` is appended unless the message has it. */
export function describeRefusal({ message, details }: GatewayError): string {
  const detail = details["detail"];
  return typeof detail === "string" && !message.includes(detail) ? `${message} ${detail}` : message;
}
