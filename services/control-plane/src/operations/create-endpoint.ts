import { anyNewEndpointArguments } from "../clients/endpoint-arguments.ts";
import { defineOperation } from "./operation.ts";
import { project } from "./shared-arguments.ts";

export const createEndpoint = defineOperation({
  name: "svc_create_endpoint",
  description:
    "Creates an endpoint: in an ai_gateway or ai_wrapper project one that calls models, in an api_gateway project one that passes requests on to a URL. It is active at once.",
  arguments: { project },
  furtherArguments: anyNewEndpointArguments,
  async run(args, { projects, endpoints, caller }, given) {
    const owned = await projects.get(args.project);
    return await endpoints.ofType(owned.projectType).create(owned, given, caller.optionsFor(owned));
  },
});
