import type { GatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";

/** One line with the cause, for a call that failed where the failure is not the caller's. */
export function logRefusal(log: Logger, err: GatewayError, requestId: string): void {
  const { logLevel } = err.profile;
  if (logLevel === "info" || logLevel === "debug") return;
  log[logLevel]({ err: err.cause ?? err, code: err.code, request_id: requestId }, err.loggedMessage);
}
