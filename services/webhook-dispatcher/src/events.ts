import type { AuditInitiator, EventKey, NewAuditEvent, ProjectReference } from "@gatehouse/audit";
import type { Webhook } from "./domain/webhook.ts";

/** A changed webhook, with the initiator. `project` is the webhook's: the initiator need not know it. */
interface WebhookChange {
  readonly initiator: AuditInitiator;
  readonly project: ProjectReference;
  readonly webhook: Pick<Webhook, "id" | "name" | "events">;
}

/** `webhook.created` */
export function webhookCreated(change: WebhookChange): NewAuditEvent {
  return toEvent("webhook.created", change, { events: change.webhook.events });
}

/** @param changed The names of the fields that were changed. */
export function webhookUpdated(change: WebhookChange, changed: readonly string[]): NewAuditEvent {
  return toEvent("webhook.updated", change, { changed });
}

/** `webhook.deleted` */
export function webhookDeleted(change: WebhookChange): NewAuditEvent {
  return toEvent("webhook.deleted", change, { events: change.webhook.events });
}

/** @param overlapSeconds How long the secret before still signs; 0 where it stops at once, as when a rotation is promoted. */
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
