import type { Delivery as DeliveryMessage, Webhook as WebhookMessage } from "@gatehouse/proto/webhook-dispatcher";
import type { Delivery } from "../domain/delivery.ts";
import { signersAt } from "../domain/signing-secret.ts";
import type { Webhook } from "../domain/webhook.ts";

export function fromWebhook(webhook: Webhook, now: Date = new Date()): WebhookMessage {
  const { id, projectUuid, name, url, events, isActive, secrets, createdAt, updatedAt } = webhook;
  const { second, isStaged } = signersAt(secrets, now);
  return {
    id,
    projectUuid,
    name,
    url,
    events: [...events],
    isActive,
    secretHint: secrets.latest.hint,
    previousSecretExpiresAt: second === undefined ? undefined : secrets.previous?.expiresAt,
    isStaged,
    createdAt,
    updatedAt,
  };
}

export function fromDelivery(delivery: Delivery): DeliveryMessage {
  return {
    id: delivery.id,
    uuid: delivery.uuid,
    webhookId: delivery.webhookId,
    event: delivery.event,
    success: delivery.success,
    httpStatus: delivery.httpStatus,
    requestBody: delivery.requestBody,
    responseBody: delivery.responseBody,
    error: delivery.error,
    attemptedAt: delivery.attemptedAt,
    durationMs: delivery.durationMs,
    redeliveryOf: delivery.redeliveryOf,
    state: delivery.state,
    timingJson: delivery.timing,
    requestBodyTruncated: delivery.requestTruncated,
    responseBodyTruncated: delivery.responseTruncated,
  };
}
