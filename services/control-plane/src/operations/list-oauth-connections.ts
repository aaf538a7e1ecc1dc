import { encodeConnection } from "../clients/api-proxy-encoding.ts";
import { toPageMessage, toPageResult } from "../clients/chat-admin.ts";
import { encodePage } from "./encoding.ts";
import { defineOperation } from "./operation.ts";
import { page, project, toPageRequest } from "./shared-arguments.ts";

export const listOauthConnections = defineOperation({
  name: "svc_list_oauth_connections",
  description: "Lists a project's OAuth connections without their secrets, oldest first.",
  arguments: { project, ...page },
  async run(args, { projects, apiProxy }) {
    const { uuid: projectUuid } = await projects.get(args.project);
    const request = { projectUuid, page: toPageMessage(toPageRequest(args)) };
    const { connections, nextCursor } = await apiProxy.listOauthConnections(request);
    return encodePage("oauth_connections", toPageResult(connections, nextCursor), encodeConnection);
  },
});
