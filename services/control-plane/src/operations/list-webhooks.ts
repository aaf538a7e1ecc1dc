import { toPageResult } from "../clients/chat-admin.ts";
import { encodeWebhook } from "../clients/webhook-admin.ts";
import { encodePage } from "./encoding.ts";
import { defineOperation } from "./operation.ts";
import { page, project, toPageRequest } from "./shared-arguments.ts";

export const listWebhooks = defineOperation({
  name: "svc_list_webhooks",
  description: "Lists a project's webhooks, oldest first.",
  arguments: { project, ...page },
  async run(args, { projects, webhooks }) {
    const { uuid: projectUuid } = await projects.get(args.project);
    const { limit = 0, cursor = "" } = toPageRequest(args);
    const { webhooks: items, nextCursor } = await webhooks.listWebhooks({ projectUuid, limit, cursor });
    return encodePage("webhooks", toPageResult(items, nextCursor), encodeWebhook);
  },
});
