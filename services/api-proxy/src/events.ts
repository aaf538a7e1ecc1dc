import {
  auditEvent,
  type AuditInitiator,
  describeEndpoint,
  guardrailBlocked,
  type NewAuditEvent,
} from "@gatehouse/audit";
import type { BlockNotice } from "@gatehouse/guardrail-client";
import type { BlockedSide } from "./domain/guarded-request.ts";

interface ConnectionReference {
  readonly id: number;
  readonly name: string;
  readonly grant: string;
}

type ConnectionEventKey = "oauth_connection.created" | "oauth_connection.connected" | "oauth_connection.disconnected";

/** `oauth_connection.*` by its key: created, first access token received, deleted. */
export function connectionEvent(
  event: ConnectionEventKey,
  { id, name, grant }: ConnectionReference,
  initiator: AuditInitiator,
): NewAuditEvent {
  return auditEvent(initiator, event, { target: name, metadata: { connection_id: id, grant } });
}

/** @param changed names of the arguments whose values differ; secrets without their values */
export function connectionUpdated(
  { id, name, grant }: ConnectionReference,
  changed: readonly string[],
  initiator: AuditInitiator,
): NewAuditEvent {
  const metadata = { connection_id: id, grant, changed: [...changed] };
  return auditEvent(initiator, "oauth_connection.updated", { target: name, metadata });
}

/** Initiated by an administrator where the first token was refused, else by the gateway. */
export function connectionRefreshFailed(
  { id, name, grant }: ConnectionReference,
  { reason, ...initiator }: AuditInitiator & { readonly reason: string },
): NewAuditEvent {
  const metadata = { connection_id: id, grant, reason };
  return auditEvent(initiator, "oauth_connection.refresh_failed", { target: name, metadata });
}

/** A blocked body of a request or reply, or the last of several. */
export function bodyBlocked({ event, block, count, since }: BlockNotice<BlockedSide>): NewAuditEvent {
  const { principal, ipAddress, traceparent, requestId, endpoint } = event.request;
  const call = { principal, ipAddress, traceparent, requestId, side: event.side, ...block, count, since };
  return guardrailBlocked(call, describeEndpoint(endpoint));
}
