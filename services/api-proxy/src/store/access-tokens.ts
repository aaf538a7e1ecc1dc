import { type NewAuditEvent, systemInitiator } from "@gatehouse/audit";
import { readRows } from "@gatehouse/database";
import { type GatewayError, isGatewayError } from "@gatehouse/errors";
import { unchanged, type WriteResult } from "@gatehouse/service";
import { type Keyring, seal, unseal } from "@gatehouse/vault";
import type pg from "pg";
import { type AccessToken, renewAtMs } from "../domain/access-token.ts";
import type { ClientAuth, OauthGrant, TokenGrant, TokenQuestion } from "../domain/oauth-connection.ts";
import { connectionGone, reasonOf } from "../domain/oauth-error.ts";
import { connectionRefreshFailed } from "../events.ts";
import type { ApiProxyStore } from "./api-proxy-store.ts";
import { sealPlaceOf } from "./seal-place.ts";

interface ConnectionRecord {
  readonly id: number;
  readonly uuid: string;
  readonly project_uuid: string;
  readonly project_id: number;
  readonly project_name: string;
  readonly name: string;
  readonly token_url: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly client_auth: ClientAuth;
  readonly grant: OauthGrant;
  readonly refresh_token: string | null;
  readonly scopes: readonly string[];
  readonly status: string;
  readonly access_token: string;
  readonly obtained_at: Date;
  readonly expires_at: Date;
}

const columns = `id, uuid, project_uuid, project_id, project_name, name, token_url, client_id, client_secret, client_auth,
  "grant", refresh_token, scopes, status, access_token, obtained_at, expires_at`;

/** The stored access token; undefined for an unknown connection. */
export async function readAccessToken(store: ApiProxyStore, connectionId: number): Promise<AccessToken | undefined> {
  const text = `SELECT ${columns} FROM oauth_connections WHERE id = $1`;
  const [row] = await readRows<ConnectionRecord>(store.database, { name: "connection", text, values: [connectionId] });
  return row && openToken(row, store.keyring);
}

interface Renewal {
  readonly connectionId: number;
  /** The token that expires or was refused. */
  readonly seen: AccessToken;
  readonly ask: (question: TokenQuestion) => Promise<TokenGrant>;
  /** Whether an error means that the refresh token was refused. */
  readonly isInvalidGrant: (err: unknown) => boolean;
  readonly wallNow: () => number;
}

/**
 * Renews a connection's token under a row lock, so that one replica asks and the others find its result. Reads a refused refresh
 * token once more, in case it was replaced meanwhile, before the connection counts as failed, which is one event.
 * @throws GatewayError `oauth_failed` with a detail
 */
export async function renewAccessToken(store: ApiProxyStore, renewal: Renewal): Promise<AccessToken> {
  const first = await renewLocked(store, renewal, undefined);
  const attempt = first.kind === "refused" ? await renewLocked(store, renewal, first) : first;
  if (attempt.kind === "renewed") return attempt.token;
  throw attempt.err;
}

type Attempt =
  | { readonly kind: "renewed"; readonly token: AccessToken }
  | RefusedAttempt
  | { readonly kind: "failed"; readonly err: GatewayError };

interface RefusedAttempt {
  readonly kind: "refused";
  /** The refused refresh token, sealed. */
  readonly refreshToken: string | null;
  readonly err: GatewayError;
}

/** @param earlier the refused token, which is not tried again if it is still stored */
async function renewLocked(
  store: ApiProxyStore,
  renewal: Renewal,
  earlier: RefusedAttempt | undefined,
): Promise<Attempt> {
  const { connectionId, seen, wallNow } = renewal;
  return await store.writeSql(async (client): Promise<WriteResult<Attempt, never>> => {
    const row = await lockRow(client, connectionId);
    const stored = openToken(row, store.keyring);
    if (isSuccessor(stored, seen) && wallNow() < renewAtMs(stored))
      return unchanged({ kind: "renewed", token: stored });
    const obtainedAtMs = wallNow();
    const granted = await askUnlessRefused(row, store.keyring, renewal, earlier);
    if (!isGatewayError(granted)) {
      const token = await saveGrant(client, store.keyring, { row, grant: granted, obtainedAtMs });
      return unchanged({ kind: "renewed", token });
    }
    if (earlier === undefined && renewal.isInvalidGrant(granted)) {
      return unchanged({ kind: "refused", refreshToken: row.refresh_token, err: granted });
    }
    const events = await saveFailure(client, row, granted);
    return { result: { kind: "failed", err: granted }, changes: [], events };
  });
}

async function lockRow(client: pg.PoolClient, connectionId: number): Promise<ConnectionRecord> {
  const text = `SELECT ${columns} FROM oauth_connections WHERE id = $1 FOR UPDATE`;
  const { rows } = await client.query<ConnectionRecord>(text, [connectionId]);
  if (rows[0] === undefined) throw connectionGone();
  return rows[0];
}

async function askUnlessRefused(
  row: ConnectionRecord,
  keyring: Keyring,
  renewal: Renewal,
  earlier: RefusedAttempt | undefined,
): Promise<TokenGrant | GatewayError> {
  if (earlier !== undefined && earlier.refreshToken === row.refresh_token) return earlier.err;
  try {
    return await renewal.ask(toQuestion(row, keyring));
  } catch (err) {
    if (isGatewayError(err) && err.code === "oauth_failed") return err;
    throw err;
  }
}

/** Whether another process has obtained the stored token since. */
function isSuccessor(stored: AccessToken, seen: AccessToken): boolean {
  return stored.obtainedAtMs > seen.obtainedAtMs || stored.value.reveal() !== seen.value.reveal();
}

function openToken(row: ConnectionRecord, keyring: Keyring): AccessToken {
  return {
    value: unseal(keyring, row.access_token, sealPlaceOf.connection(row.uuid, "access_token")),
    obtainedAtMs: row.obtained_at.getTime(),
    expiresAtMs: row.expires_at.getTime(),
  };
}

function toQuestion(row: ConnectionRecord, keyring: Keyring): TokenQuestion {
  const place = sealPlaceOf.connection;
  return {
    tokenUrl: row.token_url,
    clientId: row.client_id,
    clientSecret: unseal(keyring, row.client_secret, place(row.uuid, "client_secret")),
    clientAuth: row.client_auth,
    grant: row.grant,
    refreshToken:
      row.refresh_token === null ? undefined : unseal(keyring, row.refresh_token, place(row.uuid, "refresh_token")),
    scopes: row.scopes,
  };
}

interface Granted {
  readonly row: ConnectionRecord;
  readonly grant: TokenGrant;
  readonly obtainedAtMs: number;
}

async function saveGrant(
  client: pg.PoolClient,
  keyring: Keyring,
  { row, grant, obtainedAtMs }: Granted,
): Promise<AccessToken> {
  const place = sealPlaceOf.connection;
  const expiresAtMs = obtainedAtMs + grant.expiresInSeconds * 1_000;
  const rotated = row.grant === "refresh_token" ? grant.refreshToken : undefined;
  const refreshToken =
    rotated === undefined ? row.refresh_token : seal(keyring, rotated, place(row.uuid, "refresh_token"));
  await client.query(
    `UPDATE oauth_connections SET access_token = $2, refresh_token = $3, obtained_at = $4, expires_at = $5,
       status = 'connected', last_error = '' WHERE id = $1`,
    [
      row.id,
      seal(keyring, grant.accessToken, place(row.uuid, "access_token")),
      refreshToken,
      new Date(obtainedAtMs),
      new Date(expiresAtMs),
    ],
  );
  return { value: grant.accessToken, obtainedAtMs, expiresAtMs };
}

/** Records an event for the first of consecutive failures only. */
async function saveFailure(
  client: pg.PoolClient,
  row: ConnectionRecord,
  err: GatewayError,
): Promise<readonly NewAuditEvent[]> {
  const reason = reasonOf(err);
  await client.query("UPDATE oauth_connections SET status = 'failed', last_error = $2 WHERE id = $1", [row.id, reason]);
  if (row.status === "failed") return [];
  const project = { id: row.project_id, uuid: row.project_uuid, name: row.project_name };
  return [connectionRefreshFailed(row, { ...systemInitiator, project, reason })];
}
