import { auditEvent, type NewAuditEvent } from "./audit-event.ts";
import type { AuditInitiator } from "./initiator.ts";

/** Events that every service with endpoints emits, with the same content. */
export type EndpointEventKey = "endpoint.created" | "endpoint.activated" | "endpoint.deactivated" | "endpoint.deleted";

export interface EndpointSubject {
  readonly uuid: string;
  readonly slug: string;
}

export function endpointEvent(
  event: EndpointEventKey,
  endpoint: EndpointSubject,
  initiator: AuditInitiator,
): NewAuditEvent {
  return auditEvent(initiator, event, describeEndpoint(endpoint));
}

/** @param changed names of the arguments with new values. */
export function endpointUpdated(
  endpoint: EndpointSubject,
  changed: readonly string[],
  initiator: AuditInitiator,
): NewAuditEvent {
  const { target, metadata } = describeEndpoint(endpoint);
  return auditEvent(initiator, "endpoint.updated", { target, metadata: { ...metadata, changed: [...changed] } });
}

export function describeEndpoint({ uuid, slug }: EndpointSubject) {
  return { target: slug, metadata: { endpoint: uuid, slug } };
}
