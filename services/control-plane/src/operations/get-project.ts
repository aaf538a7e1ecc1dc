import { encodeProject } from "./encoding.ts";
import { defineOperation } from "./operation.ts";
import { project } from "./shared-arguments.ts";

export const getProject = defineOperation({
  name: "svc_get_project",
  description: "Shows one project.",
  arguments: { project },
  run: async (args, { projects }) => encodeProject(await projects.get(args.project)),
});
