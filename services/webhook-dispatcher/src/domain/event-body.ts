import type { AuditEvent } from "@gatehouse/audit";
import type { ProjectName } from "./webhook.ts";

/**
 * Body of a delivery: compact JSON with a fixed order of fields. For events of the whole gateway, `project` is the receiving
 * webhook's, so that all bodies have one shape.
 */
export function eventBody(event: Omit<AuditEvent, "id" | "traceparent">, receiver: ProjectName): string {
  const { id, name, uuid } = event.project ?? receiver;
  return JSON.stringify({
    event: event.event,
    severity: event.severity,
    actor: event.actor,
    project: { id, name, uuid },
    target: event.target,
    metadata: event.metadata,
    ip_address: event.ipAddress,
    occurred_at: event.occurredAt,
  });
}
