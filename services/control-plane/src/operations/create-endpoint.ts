import { newEndpointArguments } from "../clients/chat-endpoint-arguments.ts";
import { defineOperation } from "./operation.ts";
import { project } from "./shared-arguments.ts";

export const createEndpoint = defineOperation({
  name: "svc_create_endpoint",
  description: "Creates an endpoint in an ai_gateway or ai_wrapper project. It is active at once.",
  arguments: { project },
  furtherArguments: newEndpointArguments,
  async run(args, { projects, endpoints, caller }, given) {
    const owned = await projects.get(args.project);
    return await endpoints.ofType(owned.projectType).create(owned, given, caller.optionsFor(owned));
  },
});
