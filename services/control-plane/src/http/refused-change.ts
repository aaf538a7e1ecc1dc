import type { AuditInitiator } from "@gatehouse/audit";
import { toGatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";
import type { OperationCatalogue } from "../operations/operation-catalogue.ts";

/** Names of operations, including those of owners that have not answered yet. */
const operationName = /^svc_[a-z_]{1,60}$/;

/** Whether an operation exists and may change something, by the right that it requires; one whose owner has not answered counts. */
export async function mayChange(catalogue: Pick<OperationCatalogue, "find">, name: string): Promise<boolean> {
  try {
    const operation = await catalogue.find(name);
    return operation !== undefined && operation.access.right !== "read";
  } catch {
    return operationName.test(name);
  }
}

interface FailedOperation {
  readonly operation: string;
  readonly initiator: AuditInitiator;
  readonly requestId: string;
  readonly err: unknown;
}

/** Logs a refused or failed change. Not an audit event: a receiver would take it for the change itself. */
export function logRefusedChange(log: Logger, { operation, initiator, requestId, err }: FailedOperation): void {
  const { actor, ipAddress } = initiator;
  const { code } = toGatewayError(err);
  log.warn(
    { operation, actor, ip_address: ipAddress, request_id: requestId, code },
    "A change of the configuration was refused.",
  );
}
