import type { AuditOrigin } from "@gatehouse/audit";
import { toGatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";

const reading = /^svc_(?:list|get|query)_|^svc_test_guardrails$/;

export interface FailedOperation {
  readonly operation: string;
  readonly origin: AuditOrigin;
  readonly requestId: string;
  readonly err: unknown;
}

/**
 * Writes a line for an operation that was to change something and was refused, or failed. It is not an audit event: a
 * receiver would take one for the change itself.
 */
export function logRefusedChange(log: Logger, { operation, origin, requestId, err }: FailedOperation): void {
  if (reading.test(operation)) return;
  const { actor, ipAddress } = origin;
  const { code } = toGatewayError(err);
  log.warn({ operation, actor, ipAddress, requestId, code }, "A change of the configuration was refused.");
}
