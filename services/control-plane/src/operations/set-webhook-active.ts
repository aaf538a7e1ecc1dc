import { encodeWebhook } from "../clients/webhook-admin.ts";
import { requireWebhookId, webhookId } from "../clients/webhook-arguments.ts";
import { flag } from "../domain/arguments.ts";
import { defineOperation } from "./operation.ts";

export const setWebhookActive = defineOperation({
  name: "svc_set_webhook_active",
  description:
    "Switches a webhook on or off. Nothing is sent to one that is off; what waits for it is recorded as failed.",
  arguments: { webhook_id: webhookId, is_active: flag("Whether events are sent to it.") },
  async run({ webhook_id: id, is_active: isActive }, { webhooks, caller }) {
    const change = { webhookId: requireWebhookId(id), isActive };
    return encodeWebhook((await webhooks.setWebhookActive(change, caller.optionsFor(null))).webhook);
  },
});
