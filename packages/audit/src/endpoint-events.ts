import { auditEvent, type NewAuditEvent } from "./audit-event.ts";
import type { AuditInitiator } from "./initiator.ts";

/** Events of an endpoint that say the same. Each service that owns endpoints emits them. */
export type EndpointEventKey = "endpoint.created" | "endpoint.activated" | "endpoint.deactivated" | "endpoint.deleted";

/** The endpoint that an event is about. */
export interface EndpointSubject {
  readonly uuid: string;
  readonly slug: string;
}

/** One of {@link EndpointEventKey}. */
export function endpointEvent(
  event: EndpointEventKey,
  endpoint: EndpointSubject,
  initiator: AuditInitiator,
): NewAuditEvent {
  return auditEvent(initiator, event, describeEndpoint(endpoint));
}

/** @param changed the arguments whose values are others than before. */
export function endpointUpdated(
  endpoint: EndpointSubject,
  changed: readonly string[],
  initiator: AuditInitiator,
): NewAuditEvent {
  const { target, metadata } = describeEndpoint(endpoint);
  return auditEvent(initiator, "endpoint.updated", { target, metadata: { ...metadata, changed: [...changed] } });
}

/** An endpoint as target and metadata of an event. */
export function describeEndpoint({ uuid, slug }: EndpointSubject) {
  return { target: slug, metadata: { endpoint: uuid, slug } };
}
