import type { AuditEvent } from "@gatehouse/audit";
import type { ProjectName } from "./webhook.ts";

/**
 * The body of a delivery: compact JSON, its fields always in this order. An event of the whole gateway names the receiving
 * webhook's own project, so that the body has one shape.
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
