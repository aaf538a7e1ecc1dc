import { randomUUID } from "node:crypto";
import { type AuditOrigin, recordEvent } from "@gatehouse/audit";
import { pageBounds, type PageRequest, type PageResult, toPage, violatedIndex } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";
import { seal } from "@gatehouse/vault";
import type { ClientAuth, NewOauthConnection, OauthConnection, TokenGrant } from "../domain/oauth-connection.ts";
import { connectionConnected, connectionDisconnected } from "../events.ts";
import type { OauthConnection as ConnectionRow } from "../generated/prisma/client.ts";
import { type ApiProxyStore, read } from "./api-proxy-store.ts";
import { sealPlaceOf } from "./seal-place.ts";

/** A connection that has got its first token. */
export interface MadeConnection {
  readonly projectUuid: string;
  readonly connection: NewOauthConnection;
  readonly clientAuth: ClientAuth;
  readonly grant: TokenGrant;
  readonly obtainedAt: Date;
}

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
    await recordEvent(transaction, connectionConnected(row, origin));
    return toConnection(row);
  });
}

function toRow({ keyring }: ApiProxyStore, made: MadeConnection, { project }: AuditOrigin) {
  const uuid = randomUUID();
  const { projectUuid, connection, clientAuth, grant, obtainedAt } = made;
  const place = sealPlaceOf.connection;
  const refreshToken = grant.refreshToken ?? connection.refreshToken;
  const mayRefresh = connection.grant === "refresh_token" && refreshToken !== undefined;
  return {
    uuid,
    projectUuid,
    projectId: project?.id ?? 0,
    projectName: project?.name ?? "",
    name: connection.name,
    tokenUrl: connection.tokenUrl,
    clientId: connection.clientId,
    clientSecret: seal(keyring, connection.clientSecret, place(uuid, "client_secret")),
    clientAuth,
    grant: connection.grant,
    refreshToken: mayRefresh ? seal(keyring, refreshToken, place(uuid, "refresh_token")) : null,
    scopes: [...connection.scopes],
    accessToken: seal(keyring, grant.accessToken, place(uuid, "access_token")),
    obtainedAt,
    expiresAt: new Date(obtainedAt.getTime() + grant.expiresInSeconds * 1_000),
  };
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
  const { id, projectUuid, name, tokenUrl, clientId, grant, scopes, status, lastError, expiresAt, createdAt } = row;
  return { id, projectUuid, name, tokenUrl, clientId, grant, scopes, status, lastError, expiresAt, createdAt };
}
