import { encodePage } from "./encoding.ts";
import { defineOperation } from "./operation.ts";
import { page, project, toPageRequest } from "./shared-arguments.ts";

export const listEndpoints = defineOperation({
  name: "svc_list_endpoints",
  description: "Lists a project's endpoints, oldest first.",
  arguments: { project, ...page },
  async run(args, { projects, endpoints }) {
    const { uuid, projectType } = await projects.get(args.project);
    const result = await endpoints.ofType(projectType).list(uuid, toPageRequest(args));
    return encodePage("endpoints", result, (endpoint) => endpoint);
  },
});
