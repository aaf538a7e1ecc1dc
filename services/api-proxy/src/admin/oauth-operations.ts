import { defineOperation, id, isRowId, page, project, record, resourceNotFound, toPageRequest } from "@gatehouse/admin";
import { type GatewayError, isGatewayError } from "@gatehouse/errors";
import { Secret } from "@gatehouse/vault";
import { checkGrant, type TokenGrant, type TokenQuestion } from "../domain/oauth-connection.ts";
import {
  createConnection,
  deleteConnection,
  findConnectionProject,
  listConnections,
  updateConnection,
} from "../store/oauth-connections.ts";
import { type AdminContext, readProject, writeProject } from "./admin-context.ts";
import { oauthConnection } from "./oauth-connection.ts";

const connectionId = id("The OAuth connection's id.");

/** @throws GatewayError `not_found` for a number that is no row's id. */
function requireId(given: number): number {
  if (isRowId(given)) return given;
  throw resourceNotFound("OAuth connection", given);
}

const forProjects = {
  projectTypes: ["api_gateway"],
  refuseProjectType: (type: string) =>
    `Projects of type ${type} cannot have OAuth connections; api_gateway projects can.`,
} as const;

const forConnections = {
  ...forProjects,
  subject: {
    argument: "connection_id",
    findProject: async (given: number, { store }: AdminContext) => await findConnectionProject(store, requireId(given)),
  },
} as const;

const create = defineOperation({
  ...forProjects,
  name: "svc_create_oauth_connection",
  description:
    "Connects an api_gateway project to an OAuth 2.0 token endpoint, for endpoints with auth of type oauth. A first access token is asked for: status says whether it came, last_error why not.",
  access: writeProject,
  input: record({ project, ...oauthConnection.createInput }),
  async run({ input, origin }, context: AdminContext) {
    const connection = {
      name: input.name,
      tokenUrl: input.token_url,
      clientId: input.client_id,
      clientSecret: new Secret(input.client_secret),
      grant: input.grant,
      refreshToken: input.refresh_token === undefined ? undefined : new Secret(input.refresh_token),
      scopes: input.scopes ?? [],
    };
    checkGrant(connection);
    await context.checkUrl(connection.tokenUrl);
    const obtainedAt = new Date(context.now());
    // A connection that gets no token is made all the same, and says why: its token endpoint may be mended later.
    const first = await ask(context, { ...connection, clientAuth: "basic" });
    const made = { projectUuid: input.project, connection, first, obtainedAt };
    return oauthConnection.encode(await createConnection(context.store, made, origin));
  },
});

const list = defineOperation({
  ...forProjects,
  name: "svc_list_oauth_connections",
  description: "Lists a project's OAuth connections without their secrets, oldest first.",
  access: readProject,
  input: record({ project, ...page }),
  async run({ input }, { store }: AdminContext) {
    const { items, nextCursor } = await listConnections(store, { ...toPageRequest(input), projectUuid: input.project });
    return { oauth_connections: items.map(oauthConnection.encode), next_cursor: nextCursor ?? null };
  },
});

const update = defineOperation({
  ...forConnections,
  name: "svc_update_oauth_connection",
  description:
    "Changes an OAuth connection; what is absent stays, its grant always. Where more than its name is changed, an access token is asked for with the new settings: status says whether it came, last_error why not.",
  access: writeProject,
  input: record({ connection_id: connectionId, ...oauthConnection.updateInput }),
  async run({ input, origin }, context: AdminContext) {
    const { connection_id: given, client_secret: clientSecret, refresh_token: refreshToken, ...shown } = input;
    if (input.token_url !== undefined) await context.checkUrl(input.token_url);
    const settings = {
      ...oauthConnection.toColumns(shown),
      ...(clientSecret === undefined ? {} : { clientSecret: new Secret(clientSecret) }),
      ...(refreshToken === undefined ? {} : { refreshToken: new Secret(refreshToken) }),
    };
    const change = {
      id: requireId(given),
      settings,
      changed: (present: object) => [
        ...oauthConnection.changedFields(present, shown),
        ...(clientSecret === undefined ? [] : ["client_secret"]),
        ...(refreshToken === undefined ? [] : ["refresh_token"]),
      ],
      ask: async (question: TokenQuestion) => await ask(context, question),
      now: context.now,
    };
    return oauthConnection.encode(await updateConnection(context.store, change, origin));
  },
});

const remove = defineOperation({
  ...forConnections,
  name: "svc_delete_oauth_connection",
  description: "Deletes an OAuth connection that no endpoint uses.",
  access: writeProject,
  input: record({ connection_id: connectionId }),
  async run({ input, origin }, { store }: AdminContext) {
    const deleted = await deleteConnection(store, requireId(input.connection_id), origin);
    return { ...oauthConnection.encode(deleted), deleted: true };
  },
});

export const oauthOperations = [create, list, update, remove] as const;

async function ask({ tokenEndpoint }: AdminContext, question: TokenQuestion): Promise<TokenGrant | GatewayError> {
  try {
    return await tokenEndpoint.grant(question);
  } catch (err) {
    if (isGatewayError(err) && err.code === "oauth_failed") return err;
    throw err;
  }
}
