import type { Delivery } from "../../api/types.ts";

type Sent = Pick<Delivery, "event" | "uuid" | "message_uuid" | "attempted_at">;

/** Headers of a delivery's request in lines (docs/webhooks.md); an ellipsis for each signature, which is not stored. */
export function requestHeadersOf({ event, uuid, message_uuid, attempted_at }: Sent): string {
  const timestamp = Math.floor(Date.parse(attempted_at) / 1_000);
  return [
    "content-type: application/json",
    `x-service-event: ${event}`,
    `x-service-delivery: ${uuid}`,
    `x-service-timestamp: ${timestamp}`,
    "x-service-signature: sha256=…",
    `webhook-id: ${message_uuid}`,
    `webhook-timestamp: ${timestamp}`,
    "webhook-signature: v1,…",
  ].join("\n");
}
