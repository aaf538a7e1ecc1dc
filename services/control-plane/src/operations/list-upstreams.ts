import { toPageResult } from "../clients/parse-reply.ts";
import { encodeUpstream } from "../clients/upstream-admin.ts";
import { encodePage } from "./encoding.ts";
import { readProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";
import { page, project, toPageRequest } from "./shared-arguments.ts";

export const listUpstreams = defineOperation({
  name: "svc_list_upstreams",
  description: "Lists a project's upstream MCP servers in the order of registration, with what is known of each.",
  access: readProject,
  arguments: { project, ...page },
  async run(args, { projects, upstreams }) {
    const { uuid: projectUuid } = await projects.get(args.project);
    const { limit = 0, cursor = "" } = toPageRequest(args);
    const { upstreams: items, nextCursor } = await upstreams.listUpstreams({ projectUuid, limit, cursor });
    return encodePage("upstreams", toPageResult(items, nextCursor), encodeUpstream);
  },
});
