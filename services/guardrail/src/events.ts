import { auditEvent, type AuditOrigin, type NewAuditEvent } from "@gatehouse/audit";
import type { PolicyOwner } from "./domain/policy-owner.ts";

/** A policy was set or removed. The policy of an endpoint goes by the endpoint's uuid, for its name is known elsewhere. */
export function guardrailUpdated(
  origin: AuditOrigin,
  { projectUuid, endpointUuid }: PolicyOwner,
  action: "set" | "removed",
): NewAuditEvent {
  if (endpointUuid !== undefined) {
    const metadata = { owner: "endpoint", endpoint: endpointUuid, action } as const;
    return auditEvent(origin, "guardrail.updated", { target: endpointUuid, metadata });
  }
  const target = origin.project?.name ?? projectUuid;
  return auditEvent(origin, "guardrail.updated", { target, metadata: { owner: "project", action } });
}
