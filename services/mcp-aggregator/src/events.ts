import { auditEvent, type AuditOrigin, type NewAuditEvent, type ProjectReference } from "@gatehouse/audit";
import { excerpt } from "@gatehouse/json-rpc";
import type { TokenPrincipal } from "@gatehouse/principal";
import type { Upstream } from "./domain/upstream.ts";

type UpstreamReference = Pick<Upstream, "id" | "prefix">;

export function upstreamCreated(origin: AuditOrigin, upstream: UpstreamReference): NewAuditEvent {
  return { ...asked(origin, upstream), event: "upstream.created" };
}

/** @param changed Names of the arguments that were changed. */
export function upstreamUpdated(
  origin: AuditOrigin,
  upstream: UpstreamReference,
  changed: readonly string[],
): NewAuditEvent {
  const base = asked(origin, upstream);
  return { ...base, event: "upstream.updated", metadata: { ...base.metadata, changed } };
}

export function upstreamDeleted(origin: AuditOrigin, upstream: UpstreamReference): NewAuditEvent {
  return { ...asked(origin, upstream), event: "upstream.deleted" };
}

/** Names of tools, as the catalogue of events wants them. */
export interface ToolChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

const namesMax = 1_000;

/** A call, or its result, that a guardrail has blocked. None of its text is in the event. */
export interface BlockedCall {
  readonly principal: TokenPrincipal;
  readonly ipAddress: string;
  readonly traceparent: string;
  /** As the caller named it. */
  readonly tool: string;
  readonly detector: string;
  readonly side: "input" | "output";
  readonly requestId: string;
  /** The caller's message; a keyword in it may be long. */
  readonly message: string;
  /** Blocks that the event stands for; this one is the last of them. */
  readonly count: number;
  /** Since when they are counted, Unix milliseconds; undefined for a single block. */
  readonly since: number | undefined;
}

const messageLengthMax = 2_000;

export function guardrailBlocked(call: BlockedCall): NewAuditEvent {
  const { principal, ipAddress, traceparent, detector, side, requestId, message, count, since } = call;
  const origin = { actor: `token:${principal.tokenName}`, ipAddress, traceparent, project: principal.project };
  const tool = excerpt(call.tool, toolLengthMax);
  return auditEvent(origin, "guardrail.blocked", {
    target: tool,
    metadata: {
      tool,
      detector,
      side,
      request_id: requestId,
      message: message.slice(0, messageLengthMax),
      count,
      ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
    },
  });
}

const toolLengthMax = 300;

/** Caused by the upstream, without a request. */
export function upstreamToolsChanged(
  project: ProjectReference | null,
  { id, prefix }: UpstreamReference,
  changes: ToolChanges,
): NewAuditEvent {
  return {
    event: "upstream.tools_changed",
    actor: "system",
    project,
    target: prefix,
    metadata: {
      upstream_id: id,
      prefix,
      added: changes.added.slice(0, namesMax),
      removed: changes.removed.slice(0, namesMax),
      changed: changes.changed.slice(0, namesMax),
    },
    ipAddress: "",
  };
}

function asked(origin: AuditOrigin, { id, prefix }: UpstreamReference) {
  return {
    actor: origin.actor,
    project: origin.project,
    target: prefix,
    metadata: { upstream_id: id, prefix },
    ipAddress: origin.ipAddress,
    traceparent: origin.traceparent,
  };
}
