import type { AuditInitiator } from "@gatehouse/audit";
import { toGatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";

/** The name of an operation that may change something; others only read, or do not exist. */
const changing = /^svc_(?!(?:list|get|query)_|test_guardrails$)[a-z_]{1,60}$/;

interface FailedOperation {
  readonly operation: string;
  readonly initiator: AuditInitiator;
  readonly requestId: string;
  readonly err: unknown;
}

/**
 * Writes a line for an operation that was to change something and was refused, or failed. It is not an audit event: a
 * receiver would take one for the change itself.
 */
export function logRefusedChange(log: Logger, { operation, initiator, requestId, err }: FailedOperation): void {
  if (!changing.test(operation)) return;
  const { actor, ipAddress } = initiator;
  const { code } = toGatewayError(err);
  log.warn(
    { operation, actor, ip_address: ipAddress, request_id: requestId, code },
    "A change of the configuration was refused.",
  );
}
