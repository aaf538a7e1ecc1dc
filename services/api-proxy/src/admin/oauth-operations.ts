import {
  defineCollection,
  defineOperation,
  nullable,
  object,
  project,
  readProject,
  rowKey,
  string,
  writeProject,
} from "@gatehouse/admin";
import { type GatewayError, isGatewayError } from "@gatehouse/errors";
import { giveSecret, type Secret, secretWarning } from "@gatehouse/vault";
import { checkGrant, type TokenGrant, type TokenQuestion } from "../domain/oauth-connection.ts";
import {
  createConnection,
  deleteConnection,
  findConnectionProject,
  judgeUpdate,
  listConnections,
  requireFreeName,
  updateConnection,
} from "../store/oauth-connections.ts";
import type { AdminContext } from "./admin-context.ts";
import { oauthConnection } from "./oauth-connection.ts";

const forProjects = {
  projectTypes: ["api_gateway"],
  refuseProjectType: (type: string) =>
    `Projects of type ${type} cannot have OAuth connections; api_gateway projects can.`,
} as const;

const connections = defineCollection({
  ...forProjects,
  list: "oauth_connections",
  key: rowKey("OAuth connection", "connection_id"),
  findProject: async (id, { store }: AdminContext) => await findConnectionProject(store, id),
  shape: oauthConnection.shape,
  show: (row: object) => oauthConnection.encode(row),
});

const create = defineOperation({
  ...forProjects,
  name: "svc_create_oauth_connection",
  description:
    "Connects an api_gateway project to an OAuth 2.0 token endpoint, for endpoints with auth of type oauth. Requests a first access " +
    "token: `status` shows the outcome, `last_error` the reason of a failure.",
  access: writeProject,
  takesIdempotencyKey: true,
  input: object({ project, ...oauthConnection.createInput }),
  output: object({ ...oauthConnection.shape.properties, warning: nullable(string()) }),
  async prepare({ input }, context: AdminContext) {
    const give = (text: string) => giveSecret(context.store.keyring, text, input.project);
    const connection = {
      name: input.name,
      tokenUrl: input.token_url,
      clientId: input.client_id,
      clientSecret: give(input.client_secret),
      grant: input.grant,
      refreshToken: input.refresh_token === undefined ? undefined : give(input.refresh_token),
      scopes: input.scopes ?? [],
    };
    checkGrant(connection);
    await context.checkUrl(connection.tokenUrl, "token_url");
    await requireFreeName(context.store, input.project, connection.name);
    return connection;
  },
  async run({ input, initiator, prepared: connection }, context) {
    const obtainedAt = new Date(context.wallNow());
    // Created even if it gets no token, with the reason: the token endpoint may be fixed later.
    const first = await ask(context, { ...connection, clientAuth: "basic" });
    const made = { projectUuid: input.project, connection, first, obtainedAt };
    const created = await createConnection(context.store, made, initiator);
    return {
      ...oauthConnection.encode(created),
      warning: warningOf(context, connection.clientSecret, connection.refreshToken),
    };
  },
});

const list = connections.list({
  name: "svc_list_oauth_connections",
  description: "Lists a project's OAuth connections without their secrets, oldest first.",
  access: readProject,
  input: { project },
  find: async ({ input }, page, { store }: AdminContext) =>
    await listConnections(store, { ...page, projectUuid: input.project }),
});

const update = connections.about({
  name: "svc_update_oauth_connection",
  description:
    "Changes an OAuth connection except its grant; absent arguments change nothing. After a change of more than the name, requests " +
    "an access token with the new settings: `status` shows the outcome, `last_error` the reason of a failure.",
  access: writeProject,
  input: oauthConnection.updateInput,
  output: object({ ...oauthConnection.shape.properties, warning: nullable(string()) }),
  async prepare(id, { input }, context: AdminContext) {
    const { client_secret: secret, refresh_token: token, ...shown } = input;
    const projectUuid = await findConnectionProject(context.store, id);
    const give = (text: string | undefined) =>
      text === undefined ? undefined : giveSecret(context.store.keyring, text, projectUuid);
    const [clientSecret, refreshToken] = [give(secret), give(token)];
    if (input.token_url !== undefined) await context.checkUrl(input.token_url, "token_url");
    const settings = {
      ...oauthConnection.toColumns(shown),
      ...(clientSecret === undefined ? {} : { clientSecret }),
      ...(refreshToken === undefined ? {} : { refreshToken }),
    };
    const changed = (present: object) => [
      ...oauthConnection.changedFields(present, shown),
      ...(clientSecret === undefined ? [] : ["client_secret"]),
      ...(refreshToken === undefined ? [] : ["refresh_token"]),
    ];
    await judgeUpdate(context.store, { id, settings, changed });
    return { settings, changed, clientSecret, refreshToken };
  },
  async run(id, { initiator, prepared: { clientSecret, refreshToken, ...judged } }, context) {
    const change = {
      id,
      ...judged,
      ask: async (question: TokenQuestion) => await ask(context, question),
      wallNow: context.wallNow,
    };
    const updated = await updateConnection(context.store, change, initiator);
    return { ...oauthConnection.encode(updated), warning: warningOf(context, clientSecret, refreshToken) };
  },
});

const remove = connections.remove({
  name: "svc_delete_oauth_connection",
  description: "Deletes an OAuth connection that no endpoint uses.",
  access: writeProject,
  run: async (id, { initiator }, { store }: AdminContext) => await deleteConnection(store, id, initiator),
});

/** Operations on OAuth connections; answers never contain a secret or a token. */
export const oauthOperations = [create, list, update, remove] as const;

/** Warning about unreadable ones among the given secrets; null where all can be read. */
function warningOf({ store }: AdminContext, ...secrets: readonly (Secret | undefined)[]): string | null {
  const given = secrets.filter((each) => each !== undefined);
  return given.map((each) => secretWarning(store.keyring, each)).find((each) => each !== null) ?? null;
}

async function ask({ tokenEndpoint }: AdminContext, question: TokenQuestion): Promise<TokenGrant | GatewayError> {
  try {
    return await tokenEndpoint.grant(question);
  } catch (err) {
    if (isGatewayError(err) && err.code === "oauth_failed") return err;
    throw err;
  }
}
