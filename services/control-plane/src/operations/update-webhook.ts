import { encodeWebhook } from "../clients/webhook-admin.ts";
import { requireWebhookId, webhookChangeArguments, webhookId } from "../clients/webhook-arguments.ts";
import { defineOperation } from "./operation.ts";

export const updateWebhook = defineOperation({
  name: "svc_update_webhook",
  description: "Changes a webhook's name, address or events; what is absent stays.",
  arguments: { webhook_id: webhookId, ...webhookChangeArguments },
  async run({ webhook_id: id, name, url, events = [] }, { webhooks, caller }) {
    const change = { webhookId: requireWebhookId(id), name, url, events: [...events] };
    return encodeWebhook((await webhooks.updateWebhook(change, caller.optionsFor(null))).webhook);
  },
});
