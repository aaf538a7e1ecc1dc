import { anyEndpointChangeArguments } from "../clients/endpoint-arguments.ts";
import { changeEndpoint } from "./change-endpoint.ts";
import { defineOperation } from "./operation.ts";
import { endpoint } from "./shared-arguments.ts";

export const updateEndpoint = defineOperation({
  name: "svc_update_endpoint",
  description: "Changes an endpoint; what is not named stays, null takes an optional setting away.",
  arguments: { endpoint },
  furtherArguments: anyEndpointChangeArguments,
  async run(args, context, given) {
    return await changeEndpoint(args.endpoint, context, ({ owner, uuid, options }) =>
      owner.update(uuid, given, options),
    );
  },
});
