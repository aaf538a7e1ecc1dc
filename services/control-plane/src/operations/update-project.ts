import { invalid, optional } from "../domain/arguments.ts";
import { encodeProject } from "./encoding.ts";
import { writeProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";
import { name, project, projectType, rateLimits } from "./shared-arguments.ts";

export const updateProject = defineOperation({
  name: "svc_update_project",
  description: "Changes a project's name or limits; what is not named stays. A project's type cannot be changed.",
  access: writeProject,
  arguments: { project, name: optional(name), project_type: optional(projectType), ...rateLimits },
  async run(args, { projects, caller }) {
    if (args.project_type !== undefined) await refuseOtherType(args.project_type, await projects.get(args.project));
    const changes = {
      name: args.name,
      perMinute: args.rate_limit_per_minute,
      perHour: args.rate_limit_per_hour,
    };
    return encodeProject(await projects.update(args.project, changes, caller.originFor(null)));
  },
});

/** Its endpoints belong to the service of its type, so a project keeps the type that it was created with. */
async function refuseOtherType(wanted: string, current: { readonly projectType: string }): Promise<void> {
  if (wanted !== current.projectType) throw invalid("project_type", "cannot be changed; create another project");
}
