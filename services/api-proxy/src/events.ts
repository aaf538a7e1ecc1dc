import {
  auditEvent,
  type AuditInitiator,
  describeEndpoint,
  guardrailBlocked,
  type NewAuditEvent,
} from "@gatehouse/audit";
import type { BlockNotice } from "@gatehouse/guardrail-client";
import type { BlockedSide } from "./domain/guarded-request.ts";

/** The OAuth connection that an event is about. */
interface ConnectionReference {
  readonly id: number;
  readonly name: string;
  readonly grant: string;
}

type ConnectionEventKey = "oauth_connection.created" | "oauth_connection.connected" | "oauth_connection.disconnected";

/** `oauth_connection.*`, by its key: made, its first access token has come, deleted. */
export function connectionEvent(
  event: ConnectionEventKey,
  { id, name, grant }: ConnectionReference,
  initiator: AuditInitiator,
): NewAuditEvent {
  return auditEvent(initiator, event, { target: name, metadata: { connection_id: id, grant } });
}

/** @param changed the arguments whose values are others than before; secrets are named, never shown. */
export function connectionUpdated(
  { id, name, grant }: ConnectionReference,
  changed: readonly string[],
  initiator: AuditInitiator,
): NewAuditEvent {
  const metadata = { connection_id: id, grant, changed: [...changed] };
  return auditEvent(initiator, "oauth_connection.updated", { target: name, metadata });
}

/** With an administrator as initiator where the first token was refused, else of the gateway's own doing. */
export function connectionRefreshFailed(
  { id, name, grant }: ConnectionReference,
  { reason, ...initiator }: AuditInitiator & { readonly reason: string },
): NewAuditEvent {
  const metadata = { connection_id: id, grant, reason };
  return auditEvent(initiator, "oauth_connection.refresh_failed", { target: name, metadata });
}

/** A body of a request or a reply that a guardrail has blocked, or the last of several. */
export function bodyBlocked({ event, block, count, since }: BlockNotice<BlockedSide>): NewAuditEvent {
  const { principal, ipAddress, traceparent, requestId, endpoint } = event.request;
  const call = { principal, ipAddress, traceparent, requestId, side: event.side, ...block, count, since };
  return guardrailBlocked(call, describeEndpoint(endpoint));
}
