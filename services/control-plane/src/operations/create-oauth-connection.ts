import { GatewayError } from "@gatehouse/errors";
import { encodeConnection } from "../clients/api-proxy-encoding.ts";
import { oauthArguments } from "./oauth-arguments.ts";
import { defineOperation } from "./operation.ts";
import { name, project } from "./shared-arguments.ts";

export const createOauthConnection = defineOperation({
  name: "svc_create_oauth_connection",
  description:
    "Connects an api_gateway project to an OAuth 2.0 token endpoint, for endpoints with auth of type oauth. A first access token is asked for: status says whether it came, last_error why not.",
  arguments: { project, name, ...oauthArguments },
  async run(args, { projects, apiProxy, caller }) {
    const owned = await projects.get(args.project);
    if (owned.projectType !== "api_gateway") {
      const problem = `Projects of type ${owned.projectType} cannot have OAuth connections; api_gateway projects can.`;
      throw new GatewayError("invalid_argument", problem);
    }
    const request = {
      projectUuid: owned.uuid,
      name: args.name,
      tokenUrl: args.token_url,
      clientId: args.client_id,
      clientSecret: args.client_secret,
      grant: args.grant,
      refreshToken: args.refresh_token,
      scopes: [...(args.scopes ?? [])],
    };
    return encodeConnection((await apiProxy.createOauthConnection(request, caller.optionsFor(owned))).connection);
  },
});
