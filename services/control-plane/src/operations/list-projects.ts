import { encodePage, encodeProject } from "./encoding.ts";
import { readProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";
import { page, toPageRequest } from "./shared-arguments.ts";

export const listProjects = defineOperation({
  name: "svc_list_projects",
  description: "Lists all projects, oldest first.",
  access: readProject,
  arguments: page,
  run: async (args, { projects }) => encodePage("projects", await projects.list(toPageRequest(args)), encodeProject),
});
