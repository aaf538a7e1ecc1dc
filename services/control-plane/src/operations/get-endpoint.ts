import { defineOperation } from "./operation.ts";
import { endpoint } from "./shared-arguments.ts";

export const getEndpoint = defineOperation({
  name: "svc_get_endpoint",
  description: "Shows one endpoint.",
  arguments: { endpoint },
  run: async (args, { endpoints }) => await endpoints.ofEndpoint(args.endpoint, (owner, uuid) => owner.get(uuid)),
});
