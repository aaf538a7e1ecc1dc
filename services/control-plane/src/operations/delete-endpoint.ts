import { defineOperation } from "./operation.ts";
import { endpoint } from "./shared-arguments.ts";

export const deleteEndpoint = defineOperation({
  name: "svc_delete_endpoint",
  description: "Deletes an endpoint.",
  arguments: { endpoint },
  async run(args, { endpoints }) {
    return { ...(await endpoints.ofEndpoint(args.endpoint, (owner, uuid) => owner.delete(uuid))), deleted: true };
  },
});
