import type { JsonObject } from "@gatehouse/json-rpc";
import type { Delivery, Webhook } from "@gatehouse/proto/webhook-dispatcher";
import { requirePart, toTimestamp } from "./parse-reply.ts";

/** A webhook as the contract shows it. Its secret is not part of it. */
export function encodeWebhook(webhook: Webhook | undefined): JsonObject {
  const { id, projectUuid, name, url, events, isActive, secretHint, ...rest } = requirePart(webhook, "webhook");
  return {
    id,
    project: projectUuid,
    name,
    url,
    events,
    is_active: isActive,
    secret_hint: secretHint,
    previous_secret_expires_at: toTimestamp(rest.previousSecretExpiresAt),
    rotation_staged: rest.isStaged,
    created_at: toTimestamp(rest.createdAt),
    updated_at: toTimestamp(rest.updatedAt),
  };
}

/** A delivery as the contract shows it; `success` is null while it has not ended. */
export function encodeDelivery(delivery: Delivery | undefined): JsonObject {
  const given = requirePart(delivery, "delivery");
  return {
    id: given.id,
    uuid: given.uuid,
    webhook_id: given.webhookId,
    event: given.event,
    state: given.state,
    success: given.success ?? null,
    http_status: given.httpStatus ?? null,
    request_body: given.requestBody,
    request_body_truncated: given.requestBodyTruncated,
    response_body: given.responseBody ?? null,
    response_body_truncated: given.responseBodyTruncated,
    error: given.error ?? null,
    attempted_at: toTimestamp(given.attemptedAt),
    duration_ms: given.durationMs ?? null,
    timing: encodeTiming(given.timingJson),
    redelivery_of: given.redeliveryOf ?? null,
  };
}

/** Milliseconds by stage. */
function encodeTiming(text: string): unknown {
  return text === "" ? null : (JSON.parse(text) as unknown);
}
