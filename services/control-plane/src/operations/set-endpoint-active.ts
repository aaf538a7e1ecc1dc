import { flag } from "../domain/arguments.ts";
import { changeEndpoint } from "./change-endpoint.ts";
import { defineOperation } from "./operation.ts";
import { endpoint } from "./shared-arguments.ts";

export const setEndpointActive = defineOperation({
  name: "svc_set_endpoint_active",
  description:
    "Switches an endpoint on or off; an inactive one answers as if it did not exist. Repeating it is harmless.",
  arguments: { endpoint, is_active: flag("Whether it answers.") },
  async run(args, context) {
    return await changeEndpoint(args.endpoint, context, ({ owner, uuid, options }) =>
      owner.setActive(uuid, args.is_active, options),
    );
  },
});
