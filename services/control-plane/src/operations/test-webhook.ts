import { encodeDelivery } from "../clients/webhook-admin.ts";
import { deliveryDeadlineMs, requireWebhookId, webhookId } from "../clients/webhook-arguments.ts";
import { defineOperation } from "./operation.ts";

export const testWebhook = defineOperation({
  name: "svc_test_webhook",
  description:
    "Sends a webhook.test event to a webhook, active or not, and answers with its delivery once that has ended.",
  arguments: { webhook_id: webhookId },
  async run({ webhook_id: id }, { webhooks, caller }) {
    const options = { ...caller.optionsFor(null), deadline: deliveryDeadlineMs };
    return encodeDelivery((await webhooks.testWebhook({ webhookId: requireWebhookId(id) }, options)).delivery);
  },
});
