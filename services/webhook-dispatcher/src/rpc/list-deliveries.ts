import type { ListDeliveriesRequest, ListDeliveriesResponse } from "@gatehouse/proto/webhook-dispatcher";
import { isWebhookVisible, listDeliveries } from "../store/deliveries.ts";
import { webhookNotFound } from "../store/webhooks.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromDelivery } from "./messages.ts";

/** @throws GatewayError `not_found`, `invalid_argument` naming the field */
export async function handleListDeliveries(
  { database }: AdminContext,
  { webhookId, success, limit, cursor }: ListDeliveriesRequest,
): Promise<ListDeliveriesResponse> {
  if (!(await isWebhookVisible(database, webhookId))) throw webhookNotFound(webhookId);
  const { items, nextCursor = "" } = await listDeliveries(database, { webhookId, success, limit, cursor });
  return { deliveries: items.map(fromDelivery), nextCursor };
}
