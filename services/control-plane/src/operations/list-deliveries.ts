import { toPageResult } from "../clients/chat-admin.ts";
import { encodeDelivery } from "../clients/webhook-admin.ts";
import { deliverySuccess, requireWebhookId, webhookId } from "../clients/webhook-arguments.ts";
import { encodePage } from "./encoding.ts";
import { defineOperation } from "./operation.ts";
import { page, toPageRequest } from "./shared-arguments.ts";

export const listDeliveries = defineOperation({
  name: "svc_list_deliveries",
  description: "Lists a webhook's deliveries, newest first.",
  arguments: { webhook_id: webhookId, success: deliverySuccess, ...page },
  async run(args, { webhooks }) {
    const { limit = 0, cursor = "" } = toPageRequest(args);
    const request = { webhookId: requireWebhookId(args.webhook_id), success: args.success, limit, cursor };
    const { deliveries, nextCursor } = await webhooks.listDeliveries(request);
    return encodePage("deliveries", toPageResult(deliveries, nextCursor), encodeDelivery);
  },
});
