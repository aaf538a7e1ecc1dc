import { encodeWebhook } from "../clients/webhook-admin.ts";
import { newWebhookArguments } from "../clients/webhook-arguments.ts";
import { defineOperation } from "./operation.ts";
import { project } from "./shared-arguments.ts";

export const createWebhook = defineOperation({
  name: "svc_create_webhook",
  description: "Creates a webhook, active at once. Its signing secret is shown this once.",
  arguments: { project, ...newWebhookArguments },
  async run({ project: uuid, name, url, events }, { projects, webhooks, caller }) {
    const owner = await projects.get(uuid);
    const given = { projectUuid: owner.uuid, name, url, events: [...events] };
    const { webhook, secret } = await webhooks.createWebhook(given, caller.optionsFor(owner));
    return { ...encodeWebhook(webhook), secret };
  },
});
