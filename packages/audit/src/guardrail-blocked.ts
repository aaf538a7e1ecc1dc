import { auditEvent, type NewAuditEvent, type ProjectReference } from "./audit-event.ts";
import type { EventMetadata } from "./catalogue.ts";

/** A call, or its result, that a guardrail has blocked. None of its text is in the event. */
export interface BlockedCall {
  readonly principal: { readonly tokenName: string; readonly project: ProjectReference };
  readonly ipAddress: string;
  readonly traceparent: string;
  readonly requestId: string;
  readonly side: "input" | "output";
  readonly detector: string;
  /** Message for the caller; a keyword that it quotes may be long. */
  readonly message: string;
  /** Blocks that the event stands for; this one is the last of them. */
  readonly count: number;
  /** Since when they are counted, Unix milliseconds; undefined for a single block. */
  readonly since: number | undefined;
}

/** Names of the endpoint or tool that was called. */
export interface BlockedSubject {
  readonly target: string;
  readonly metadata: Pick<EventMetadata<"guardrail.blocked">, "endpoint" | "slug" | "tool">;
}

/** Characters of a caller's message that an event keeps. */
const messageLengthMax = 2_000;

/** The event of a block, by every service that asks the guardrails. */
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
