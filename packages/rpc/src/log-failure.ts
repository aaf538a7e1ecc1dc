import type { GatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";

/** Expected refusals are the caller's to report; only what is not recognised is logged here, with its cause. */
export function logFailure(log: Logger, err: GatewayError, method: string): void {
  if (err.code !== "internal") return;
  log.error({ err: err.cause ?? err, method }, "A gRPC call failed.");
}
