import type { ListWebhooksRequest, ListWebhooksResponse } from "@gatehouse/proto/webhook-dispatcher";
import { listWebhooks } from "../store/webhooks.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromWebhook } from "./messages.ts";

export async function handleListWebhooks(
  { transact }: AdminContext,
  { projectUuid, limit, cursor }: ListWebhooksRequest,
): Promise<ListWebhooksResponse> {
  const { items, nextCursor = "" } = await listWebhooks(transact, projectUuid, { limit, cursor });
  return { webhooks: items.map((webhook) => fromWebhook(webhook)), nextCursor };
}
