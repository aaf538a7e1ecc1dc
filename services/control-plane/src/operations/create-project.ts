import { defaultRateLimits } from "../domain/project.ts";
import { encodeProject } from "./encoding.ts";
import { writeGateway } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";
import { name, projectType, rateLimits } from "./shared-arguments.ts";

export const createProject = defineOperation({
  name: "svc_create_project",
  description:
    "Creates a project. Without limits of its own it gets 600 requests a minute and 20,000 an hour; null makes it unlimited.",
  access: writeGateway,
  arguments: { name, project_type: projectType, ...rateLimits },
  async run(args, { projects, caller }) {
    const { rate_limit_per_minute: perMinute, rate_limit_per_hour: perHour } = args;
    const wanted = {
      name: args.name,
      projectType: args.project_type,
      rateLimits: {
        perMinute: perMinute === undefined ? defaultRateLimits.perMinute : perMinute,
        perHour: perHour === undefined ? defaultRateLimits.perHour : perHour,
      },
    };
    return encodeProject(await projects.create(wanted, caller.originFor(null)));
  },
});
