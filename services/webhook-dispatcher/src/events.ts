import type { AuditInitiator, EventKey, NewAuditEvent, ProjectReference } from "@gatehouse/audit";
import type { Webhook } from "./domain/webhook.ts";

/** A changed webhook, with the initiator. `project` is the webhook's, which the initiator may lack. */
interface WebhookChange {
  readonly initiator: AuditInitiator;
  readonly project: ProjectReference;
  readonly webhook: Pick<Webhook, "id" | "name" | "events">;
}

/** Event `webhook.created`, with the subscribed events. Contains neither URL nor secret. */
export function webhookCreated(change: WebhookChange): NewAuditEvent {
  return toEvent("webhook.created", change, { events: change.webhook.events });
}

/** @param changed names of the changed fields */
export function webhookUpdated(change: WebhookChange, changed: readonly string[]): NewAuditEvent {
  return toEvent("webhook.updated", change, { changed });
}

/** Event `webhook.deleted`, with the events to which the webhook was subscribed. */
export function webhookDeleted(change: WebhookChange): NewAuditEvent {
  return toEvent("webhook.deleted", change, { events: change.webhook.events });
}

/** @param overlapSeconds time for which the previous secret still signs; 0 where it stops at once, as for a promotion */
export function secretRotated(change: WebhookChange, overlapSeconds: number): NewAuditEvent {
  return toEvent("webhook.secret_rotated", change, { overlap_seconds: overlapSeconds });
}

function toEvent(
  event: EventKey,
  { initiator: { actor, ipAddress, traceparent }, project, webhook: { id, name } }: WebhookChange,
  metadata: Readonly<Record<string, unknown>>,
): NewAuditEvent {
  return { event, actor, project, target: name, metadata: { webhook_id: id, ...metadata }, ipAddress, traceparent };
}
