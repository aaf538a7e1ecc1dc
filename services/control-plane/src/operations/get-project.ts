import { encodeProject } from "./encoding.ts";
import { readProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";
import { project } from "./shared-arguments.ts";

export const getProject = defineOperation({
  name: "svc_get_project",
  description: "Shows one project.",
  access: readProject,
  arguments: { project },
  run: async (args, { projects }) => encodeProject(await projects.get(args.project)),
});
