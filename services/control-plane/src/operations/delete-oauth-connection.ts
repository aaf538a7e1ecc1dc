import { encodeConnection } from "../clients/api-proxy-encoding.ts";
import { connectionId, requireConnectionId } from "./oauth-arguments.ts";
import { defineOperation } from "./operation.ts";

export const deleteOauthConnection = defineOperation({
  name: "svc_delete_oauth_connection",
  description: "Deletes an OAuth connection that no endpoint uses.",
  arguments: { connection_id: connectionId },
  async run(args, { apiProxy, caller }) {
    const request = { connectionId: requireConnectionId(args.connection_id) };
    const { connection } = await apiProxy.deleteOauthConnection(request, caller.optionsFor(null));
    return { ...encodeConnection(connection), deleted: true };
  },
});
