import { encodeWebhook } from "../clients/webhook-admin.ts";
import { requireWebhookId, webhookId } from "../clients/webhook-arguments.ts";
import { defineOperation } from "./operation.ts";

export const deleteWebhook = defineOperation({
  name: "svc_delete_webhook",
  description: "Deletes a webhook with its secret and its deliveries.",
  arguments: { webhook_id: webhookId },
  async run({ webhook_id: id }, { webhooks, caller }) {
    const request = { webhookId: requireWebhookId(id) };
    const { webhook } = await webhooks.deleteWebhook(request, caller.optionsFor(null));
    return { ...encodeWebhook(webhook), deleted: true };
  },
});
