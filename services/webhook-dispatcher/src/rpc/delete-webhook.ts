import { readOrigin } from "@gatehouse/audit";
import type { DeleteWebhookRequest, DeleteWebhookResponse } from "@gatehouse/proto/webhook-dispatcher";
import type { CallContext } from "@gatehouse/rpc";
import { deleteWebhook } from "../store/webhooks.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromWebhook } from "./messages.ts";

/** @throws GatewayError `not_found` */
export async function handleDeleteWebhook(
  { transact }: AdminContext,
  { webhookId: id }: DeleteWebhookRequest,
  metadata: CallContext["metadata"],
): Promise<DeleteWebhookResponse> {
  return { webhook: fromWebhook(await deleteWebhook(transact, { id, origin: readOrigin(metadata) })) };
}
