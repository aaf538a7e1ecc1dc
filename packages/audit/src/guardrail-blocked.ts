import { auditEvent, type NewAuditEvent, type ProjectReference } from "./audit-event.ts";
import type { EventMetadata } from "./catalogue.ts";

/** A call, or its result, blocked by a guardrail. Its text is not in the event. */
export interface BlockedCall {
  readonly principal: { readonly tokenName: string; readonly project: ProjectReference };
  readonly ipAddress: string;
  readonly traceparent: string;
  readonly requestId: string;
  readonly side: "input" | "output";
  readonly detector: string;
  /** Message for the caller; may be long, since it may quote a keyword. */
  readonly message: string;
  /** Number of blocks that the event represents; this is the last of them. */
  readonly count: number;
  /** Start of the counted period, Unix milliseconds; undefined for a single block. */
  readonly since: number | undefined;
}

/** Called endpoint or tool: its name as the event's target, and its fields in the metadata. */
export interface BlockedSubject {
  readonly target: string;
  readonly metadata: Pick<EventMetadata<"guardrail.blocked">, "endpoint" | "slug" | "tool">;
}

/** Characters of the caller's message that an event keeps. */
const messageLengthMax = 2_000;

/** Event of a block, for all services with guardrails. */
export function guardrailBlocked(call: BlockedCall, { target, metadata }: BlockedSubject): NewAuditEvent {
  const { principal, ipAddress, traceparent, detector, side, requestId, message, count, since } = call;
  const initiator = { actor: `token:${principal.tokenName}`, ipAddress, traceparent, project: principal.project };
  return auditEvent(initiator, "guardrail.blocked", {
    target,
    metadata: {
      ...metadata,
      detector,
      side,
      request_id: requestId,
      message: message.slice(0, messageLengthMax),
      count,
      ...(since !== undefined && { since: new Date(since).toISOString() }),
    },
  });
}
