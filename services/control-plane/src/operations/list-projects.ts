import { encodePage, encodeProject } from "./encoding.ts";
import { readProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";
import { page, toPageRequest } from "./shared-arguments.ts";

export const listProjects = defineOperation({
  name: "svc_list_projects",
  description: "Lists the projects that the caller may see, oldest first.",
  access: readProject,
  arguments: page,
  keepsToCaller: true,
  async run(args, { projects, caller }) {
    const found = await projects.list(toPageRequest(args), caller.administrator.projects);
    return encodePage("projects", found, encodeProject);
  },
});
