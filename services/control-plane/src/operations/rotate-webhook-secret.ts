import { encodeWebhook } from "../clients/webhook-admin.ts";
import { requireWebhookId, rotationArguments, webhookId } from "../clients/webhook-arguments.ts";
import { defineOperation } from "./operation.ts";

export const rotateWebhookSecret = defineOperation({
  name: "svc_rotate_webhook_secret",
  description: "Makes a new signing secret, shown this once; the old one signs beside it for a while.",
  arguments: { webhook_id: webhookId, ...rotationArguments },
  async run({ webhook_id: id, overlap_seconds: overlapSeconds, staged, promote }, { webhooks, caller }) {
    const rotation = { webhookId: requireWebhookId(id), overlapSeconds, staged, promote };
    const { webhook, secret } = await webhooks.rotateWebhookSecret(rotation, caller.optionsFor(null));
    return { ...encodeWebhook(webhook), ...(secret === "" ? {} : { secret }) };
  },
});
