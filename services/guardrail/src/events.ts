import { auditEvent, type AuditInitiator, type NewAuditEvent } from "@gatehouse/audit";
import type { PolicyOwner } from "./domain/policy-owner.ts";

/** A policy was set or removed. The target of an endpoint's policy is the endpoint's uuid: this service does not know its name. */
export function guardrailUpdated(
  initiator: AuditInitiator,
  { projectUuid, endpointUuid }: PolicyOwner,
  action: "set" | "removed",
): NewAuditEvent {
  if (endpointUuid !== undefined) {
    const metadata = { owner: "endpoint", endpoint: endpointUuid, action } as const;
    return auditEvent(initiator, "guardrail.updated", { target: endpointUuid, metadata });
  }
  const target = initiator.project?.name ?? projectUuid;
  return auditEvent(initiator, "guardrail.updated", { target, metadata: { owner: "project", action } });
}
