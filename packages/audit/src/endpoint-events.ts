import { auditEvent, type NewAuditEvent } from "./audit-event.ts";
import type { AuditInitiator } from "./initiator.ts";

/** Events that every service with endpoints emits, with the same content. */
export type EndpointEventKey = "endpoint.created" | "endpoint.activated" | "endpoint.deactivated" | "endpoint.deleted";

/** Endpoint that an event is about; `slug` is its name at the time of the event. */
export interface EndpointSubject {
  readonly uuid: string;
  readonly slug: string;
}

/** Event of a change that has no metadata except the endpoint itself; {@link endpointUpdated} is for changes of fields. */
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

/** Target and common metadata of events about an endpoint, to which the owner may add fields. */
export function describeEndpoint({ uuid, slug }: EndpointSubject) {
  return { target: slug, metadata: { endpoint: uuid, slug } };
}
