import { readOrigin } from "@gatehouse/audit";
import { type GatewayError, isGatewayError } from "@gatehouse/errors";
import type { CreateOauthConnectionRequest, CreateOauthConnectionResponse } from "@gatehouse/proto/api-proxy";
import type { CallContext } from "@gatehouse/rpc";
import { checkNewConnection, type NewOauthConnection, type TokenGrant } from "../domain/oauth-connection.ts";
import { createConnection } from "../store/oauth-connections.ts";
import type { AdminContext } from "./admin-context.ts";
import { toConnectionMessage, toNewConnection } from "./messages.ts";

/** A connection that gets no token is made all the same, and says why: its token endpoint may be mended later. */
export async function handleCreateOauthConnection(
  context: AdminContext,
  request: CreateOauthConnectionRequest,
  { metadata }: CallContext,
): Promise<CreateOauthConnectionResponse> {
  const connection = toNewConnection(request);
  checkNewConnection(connection);
  await context.checkUrl(connection.tokenUrl);
  const obtainedAt = new Date(context.now());
  const first = await askFirst(context, connection);
  const made = { projectUuid: request.projectUuid, connection, first, obtainedAt };
  return { connection: toConnectionMessage(await createConnection(context.store, made, readOrigin(metadata))) };
}

async function askFirst(
  { tokenEndpoint }: AdminContext,
  connection: NewOauthConnection,
): Promise<TokenGrant | GatewayError> {
  try {
    return await tokenEndpoint.grant({ ...connection, clientAuth: "basic" });
  } catch (err) {
    if (isGatewayError(err) && err.code === "oauth_failed") return err;
    throw err;
  }
}
