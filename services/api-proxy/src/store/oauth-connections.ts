import { randomUUID } from "node:crypto";
import { refuseKeptSecrets, resourceNotFound } from "@gatehouse/admin";
import type { AuditInitiator } from "@gatehouse/audit";
import { lockRow, type PageRequest, type PageResult, readPage, refuseTaken } from "@gatehouse/database";
import { GatewayError, invalidArgument, isGatewayError } from "@gatehouse/errors";
import { type Keyring, referenceIn, seal, Secret, unseal } from "@gatehouse/vault";
import {
  checkGrant,
  type NewOauthConnection,
  type OauthConnection,
  type OauthGrant,
  type TokenGrant,
  type TokenQuestion,
} from "../domain/oauth-connection.ts";
import { reasonOf } from "../domain/oauth-error.ts";
import { connectionEvent, connectionRefreshFailed, connectionUpdated } from "../events.ts";
import type { OauthConnection as ConnectionRow } from "../generated/prisma/client.ts";
import type { ApiProxyStore, Reader, Transaction } from "./api-proxy-store.ts";
import { sealPlaceOf } from "./seal-place.ts";

/** A connection, with its first token or the failure. */
interface MadeConnection {
  readonly projectUuid: string;
  readonly connection: NewOauthConnection;
  readonly first: TokenGrant | GatewayError;
  readonly obtainedAt: Date;
}

/** Times of a connection without a first token, in the past. */
const never = new Date(0);

/**
 * Checked before the token endpoint is asked: a rotated refresh token would be lost with a connection that is refused afterwards.
 * @throws GatewayError `already_exists` for a name that the project has
 */
export async function requireFreeName(store: ApiProxyStore, projectUuid: string, name: string): Promise<void> {
  const where = { projectUuid_name: { projectUuid, name } };
  const taken = await store.read(async (client) => await client.oauthConnection.findUnique({ where }));
  if (taken !== null) throw nameTaken(name);
}

/** @throws GatewayError `already_exists` for a name that the project has */
export async function createConnection(
  store: ApiProxyStore,
  made: MadeConnection,
  initiator: AuditInitiator,
): Promise<OauthConnection> {
  const data = toRow(store, made, initiator);
  return await store.write(async (transaction) => {
    const row = await transaction.oauthConnection.create({ data }).catch(refuseTaken(nameTaken(data.name)));
    const first =
      row.status === "connected"
        ? connectionEvent("oauth_connection.connected", row, initiator)
        : connectionRefreshFailed(row, { ...initiator, reason: row.lastError });
    const events = [connectionEvent("oauth_connection.created", row, initiator), first];
    return { result: toConnection(row), changes: [], events };
  });
}

function toRow(store: ApiProxyStore, made: MadeConnection, { project }: AuditInitiator) {
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

/** A page of a project's connections, oldest first. */
export async function listConnections(
  store: ApiProxyStore,
  { projectUuid, ...page }: PageRequest & { readonly projectUuid: string },
): Promise<PageResult<OauthConnection>> {
  return await readPage(page, toConnection, async ({ after, ...query }) => {
    return await store.read(
      async (client) => await client.oauthConnection.findMany({ where: { projectUuid, ...after }, ...query }),
    );
  });
}

/** The uuid of a connection's project. @throws GatewayError `not_found` for an unknown id */
export async function findConnectionProject(store: ApiProxyStore, id: number): Promise<string> {
  return (await store.read(async (client) => await requireRow(client, id))).projectUuid;
}

interface JudgedUpdate {
  readonly id: number;
  /** Absent settings stay as they are. */
  readonly settings: Partial<Omit<NewOauthConnection, "grant">>;
  /** Names of the arguments whose values differ. */
  readonly changed: (present: OauthConnection) => readonly string[];
}

interface ConnectionUpdate extends JudgedUpdate {
  readonly ask: (question: TokenQuestion) => Promise<TokenGrant | GatewayError>;
  /** Epoch milliseconds. */
  readonly wallNow: () => number;
}

/** The changes that an update would make now. @throws as {@link updateConnection} */
export async function judgeUpdate(store: ApiProxyStore, { id, settings, changed }: JudgedUpdate) {
  const seen = await store.read(async (client) => await requireRow(client, id));
  refuseKeptSecrets({
    argument: "token_url",
    from: seen.tokenUrl,
    to: settings.tokenUrl,
    kept: keptOf(seen, settings),
  });
  const names = changed(toConnection(seen));
  const question = toQuestion(store.keyring, seen, settings);
  if (names.length > 0) checkGrant(question);
  if (names.includes("name")) await requireFreeName(store, seen.projectUuid, settings.name ?? seen.name);
  return { seen, names, question };
}

/** Stored secrets that an update does not give again. */
function keptOf(row: ConnectionRow, settings: ConnectionUpdate["settings"]): string[] {
  return [
    ...(settings.clientSecret === undefined ? ["client_secret"] : []),
    ...(row.refreshToken !== null && settings.refreshToken === undefined ? ["refresh_token"] : []),
  ];
}

/**
 * Changes a connection. Requests a token with the new settings, unless only the name changes; if it is refused, the present token
 * stays until it expires, and the connection counts as failed.
 * @throws GatewayError `not_found` for an unknown id, `already_exists` for a name that the project has, `invalid_argument` where
 * the connection was changed concurrently, or where a stored secret would be sent to another host
 */
export async function updateConnection(
  store: ApiProxyStore,
  update: ConnectionUpdate,
  initiator: AuditInitiator,
): Promise<OauthConnection> {
  const { id, settings, ask, wallNow } = update;
  const { seen, names, question } = await judgeUpdate(store, update);
  if (names.length === 0) return toConnection(seen);
  const obtainedAt = new Date(wallNow());
  // Outside the lock: a token endpoint may take seconds.
  const answer = names.every((name) => name === "name") ? undefined : await ask(question);
  const data = toChangedColumns(store.keyring, seen, { settings, answer, obtainedAt });
  return await store.write(async (transaction) => {
    const present = await lockConnection(transaction, id);
    if (present.refreshToken !== seen.refreshToken || present.clientSecret !== seen.clientSecret) {
      throw invalidArgument(`OAuth connection ${id} was changed meanwhile; send the change once more`);
    }
    const updating = transaction.oauthConnection.update({ where: { id }, data });
    const row = await updating.catch(refuseTaken(nameTaken(settings.name ?? seen.name)));
    const hasFailed = answer !== undefined && row.status === "failed";
    const failures = hasFailed ? [connectionRefreshFailed(row, { ...initiator, reason: row.lastError })] : [];
    return {
      result: toConnection(row),
      changes: [{ subject: "connection", connectionId: id }],
      events: [connectionUpdated(row, names, initiator), ...failures],
    };
  });
}

function toQuestion(keyring: Keyring, row: ConnectionRow, settings: ConnectionUpdate["settings"]): TokenQuestion {
  const { uuid, grant } = row;
  const open = (sealed: string, column: "client_secret" | "refresh_token") =>
    unseal(keyring, sealed, sealPlaceOf.connection(uuid, column));
  const stored = row.refreshToken === null ? undefined : open(row.refreshToken, "refresh_token");
  return {
    tokenUrl: settings.tokenUrl ?? row.tokenUrl,
    clientId: settings.clientId ?? row.clientId,
    clientSecret: settings.clientSecret ?? open(row.clientSecret, "client_secret"),
    clientAuth: "basic",
    // Checked when the row was written.
    grant: grant as OauthGrant,
    refreshToken: settings.refreshToken ?? stored,
    scopes: settings.scopes ?? row.scopes,
  };
}

interface Outcome {
  readonly settings: ConnectionUpdate["settings"];
  /** Undefined: no token was requested. */
  readonly answer: TokenGrant | GatewayError | undefined;
  readonly obtainedAt: Date;
}

function toChangedColumns(keyring: Keyring, { uuid, grant }: ConnectionRow, { settings, answer, obtainedAt }: Outcome) {
  const { clientSecret, refreshToken: given, scopes, ...texts } = settings;
  const sealed = (value: Secret, column: "access_token" | "client_secret" | "refresh_token") =>
    seal(keyring, value, sealPlaceOf.connection(uuid, column));
  const isGranted = answer !== undefined && !isGatewayError(answer);
  const rotated = isGranted && grant === "refresh_token" ? answer.refreshToken : undefined;
  const refreshToken = rotated ?? given;
  return {
    ...texts,
    ...(scopes === undefined ? {} : { scopes: [...scopes] }),
    ...(clientSecret === undefined ? {} : { clientSecret: sealed(clientSecret, "client_secret") }),
    ...(refreshToken === undefined ? {} : { refreshToken: sealed(refreshToken, "refresh_token") }),
    ...(isGatewayError(answer) ? { status: "failed", lastError: reasonOf(answer) } : {}),
    ...(isGranted ? toTokenColumns(answer, obtainedAt, sealed(answer.accessToken, "access_token")) : {}),
  };
}

function toTokenColumns({ clientAuth, expiresInSeconds }: TokenGrant, obtainedAt: Date, accessToken: string) {
  const expiresAt = new Date(obtainedAt.getTime() + expiresInSeconds * 1_000);
  return { status: "connected", lastError: "", clientAuth, accessToken, obtainedAt, expiresAt };
}

/** @throws GatewayError `not_found` for an unknown id, `invalid_argument` while an endpoint uses it */
export async function deleteConnection(
  store: ApiProxyStore,
  id: number,
  initiator: AuditInitiator,
): Promise<OauthConnection> {
  return await store.write(async (transaction) => {
    const row = await lockConnection(transaction, id);
    const user = await transaction.endpoint.findFirst({ where: { connectionId: id }, select: { slug: true } });
    if (user !== null) {
      const problem = `OAuth connection ${id} is used by endpoint '${user.slug}'; give that another auth first`;
      throw invalidArgument(problem);
    }
    await transaction.oauthConnection.delete({ where: { id } });
    const project = initiator.project ?? { id: row.projectId, uuid: row.projectUuid, name: row.projectName };
    return {
      result: toConnection(row),
      changes: [{ subject: "connection", connectionId: id }],
      events: [connectionEvent("oauth_connection.disconnected", row, { ...initiator, project })],
    };
  });
}

async function lockConnection(transaction: Transaction, id: number): Promise<ConnectionRow> {
  await lockRow(transaction, "oauth_connections", { id });
  return await requireRow(transaction, id);
}

async function requireRow(client: Reader, id: number): Promise<ConnectionRow> {
  const row = await client.oauthConnection.findUnique({ where: { id } });
  if (row === null) throw resourceNotFound("OAuth connection", id);
  return row;
}

function nameTaken(name: string): GatewayError {
  return new GatewayError("already_exists", `OAuth connection already exists in this project: ${name}`);
}

function toConnection(row: ConnectionRow): OauthConnection {
  const { id, projectUuid, name, tokenUrl, clientId, grant, scopes, status, lastError, createdAt } = row;
  const clientSecretReference = referenceIn(row.clientSecret);
  const known = (at: Date) => (at.getTime() === never.getTime() ? undefined : at);
  const shown = { id, projectUuid, name, tokenUrl, clientId, clientSecretReference, grant, scopes };
  const times = { refreshedAt: known(row.obtainedAt), expiresAt: known(row.expiresAt), createdAt };
  return { ...shown, status, lastError, ...times };
}
