import { randomUUID } from "node:crypto";
import { type AuditOrigin, recordEvent } from "@gatehouse/audit";
import { pageBounds, type PageRequest, type PageResult, toPage, violatedIndex } from "@gatehouse/database";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import { seal, Secret } from "@gatehouse/vault";
import type { NewOauthConnection, OauthConnection, TokenGrant } from "../domain/oauth-connection.ts";
import { reasonOf } from "../domain/oauth-error.ts";
import { connectionConnected, connectionDisconnected, connectionRefreshFailed } from "../events.ts";
import type { OauthConnection as ConnectionRow } from "../generated/prisma/client.ts";
import { type ApiProxyStore, read } from "./api-proxy-store.ts";
import { sealPlaceOf } from "./seal-place.ts";

/** A connection, and what came of the question for its first token. */
export interface MadeConnection {
  readonly projectUuid: string;
  readonly connection: NewOauthConnection;
  readonly first: TokenGrant | GatewayError;
  readonly obtainedAt: Date;
}

/** The end of a token that never was. */
const never = new Date(0);

/** @throws GatewayError `already_exists` for a name that the project has. */
export async function createConnection(
  store: ApiProxyStore,
  made: MadeConnection,
  origin: AuditOrigin,
): Promise<OauthConnection> {
  const data = toRow(store, made, origin);
  return await store.transact(async (transaction) => {
    const row = await transaction.oauthConnection.create({ data }).catch((err: unknown) => {
      if (violatedIndex(err) === undefined) throw err;
      throw new GatewayError("already_exists", `OAuth connection already exists in this project: ${data.name}`);
    });
    const event =
      row.status === "connected"
        ? connectionConnected(row, origin)
        : connectionRefreshFailed(row, { ...origin, reason: row.lastError });
    await recordEvent(transaction, event);
    return toConnection(row);
  });
}

function toRow(store: ApiProxyStore, made: MadeConnection, { project }: AuditOrigin) {
  const uuid = randomUUID();
  const { projectUuid, connection } = made;
  const { name, tokenUrl, clientId, clientSecret, grant, scopes } = connection;
  const sealed = (value: Secret, column: "access_token" | "client_secret" | "refresh_token") =>
    seal(store.keyring, value, sealPlaceOf.connection(uuid, column));
  const { refreshToken = connection.refreshToken, accessToken, ...state } = stateOf(made);
  const mayRefresh = grant === "refresh_token" && refreshToken !== undefined;
  return {
    uuid,
    projectUuid,
    projectId: project?.id ?? 0,
    projectName: project?.name ?? "",
    name,
    tokenUrl,
    clientId,
    clientSecret: sealed(clientSecret, "client_secret"),
    grant,
    scopes: [...scopes],
    refreshToken: mayRefresh ? sealed(refreshToken, "refresh_token") : null,
    accessToken: sealed(accessToken, "access_token"),
    ...state,
  };
}

function stateOf({ first, obtainedAt }: MadeConnection) {
  if (isGatewayError(first)) {
    const lastError = reasonOf(first);
    const none = { accessToken: new Secret(""), refreshToken: undefined, obtainedAt: never, expiresAt: never };
    return { status: "failed", lastError, clientAuth: "basic", ...none };
  }
  const { clientAuth, accessToken, refreshToken, expiresInSeconds } = first;
  const expiresAt = new Date(obtainedAt.getTime() + expiresInSeconds * 1_000);
  return { status: "connected", lastError: "", clientAuth, accessToken, refreshToken, obtainedAt, expiresAt };
}

export async function listConnections(
  store: ApiProxyStore,
  { projectUuid, ...page }: PageRequest & { readonly projectUuid: string },
): Promise<PageResult<OauthConnection>> {
  const { take, afterId } = pageBounds(page);
  const where = { projectUuid, id: { gt: afterId } };
  const rows = await read(store, async (client) => {
    return await client.oauthConnection.findMany({ where, orderBy: { id: "asc" }, take: take + 1 });
  });
  return toPage(rows.map(toConnection), take);
}

/** @throws GatewayError `not_found` for an unknown id, `invalid_argument` while an endpoint uses it. */
export async function deleteConnection(
  store: ApiProxyStore,
  id: number,
  origin: AuditOrigin,
): Promise<OauthConnection> {
  return await store.transact(async (transaction, announce) => {
    const row = await transaction.oauthConnection.findUnique({ where: { id } });
    if (row === null) throw new GatewayError("not_found", `OAuth connection not found: ${id}`);
    const user = await transaction.endpoint.findFirst({ where: { connectionId: id }, select: { slug: true } });
    if (user !== null) {
      const problem = `OAuth connection ${id} is used by endpoint '${user.slug}'; give that another auth first`;
      throw new GatewayError("invalid_argument", problem);
    }
    await transaction.oauthConnection.delete({ where: { id } });
    await announce({ subject: "connection", connectionId: id });
    const project = origin.project ?? { id: row.projectId, uuid: row.projectUuid, name: row.projectName };
    await recordEvent(transaction, connectionDisconnected(row, { ...origin, project }));
    return toConnection(row);
  });
}

function toConnection(row: ConnectionRow): OauthConnection {
  const { id, projectUuid, name, tokenUrl, clientId, grant, scopes, status, lastError, createdAt } = row;
  const expiresAt = row.expiresAt.getTime() === never.getTime() ? undefined : row.expiresAt;
  return { id, projectUuid, name, tokenUrl, clientId, grant, scopes, status, lastError, expiresAt, createdAt };
}
