import { readOrigin } from "@gatehouse/audit";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import type { CreateOauthConnectionRequest, CreateOauthConnectionResponse } from "@gatehouse/proto/api-proxy";
import type { CallContext } from "@gatehouse/rpc";
import { checkNewConnection, type NewOauthConnection } from "../domain/oauth-connection.ts";
import { createConnection } from "../store/oauth-connections.ts";
import type { AdminContext } from "./admin-context.ts";
import { toConnectionMessage, toNewConnection } from "./messages.ts";

/** A connection that gets no token is not made. */
export async function handleCreateOauthConnection(
  context: AdminContext,
  request: CreateOauthConnectionRequest,
  { metadata }: CallContext,
): Promise<CreateOauthConnectionResponse> {
  const connection = toNewConnection(request);
  checkNewConnection(connection);
  await context.checkUrl(connection.tokenUrl);
  const obtainedAt = new Date(context.now());
  const { grant, clientAuth } = await introduce(context, connection);
  const made = { projectUuid: request.projectUuid, connection, clientAuth, grant, obtainedAt };
  return { connection: toConnectionMessage(await createConnection(context.store, made, readOrigin(metadata))) };
}

/** What a token endpoint refuses here is the administrator's to mend. */
async function introduce({ tokenEndpoint }: AdminContext, connection: NewOauthConnection) {
  try {
    return await tokenEndpoint.introduce(connection);
  } catch (err) {
    if (!isGatewayError(err) || err.code !== "oauth_failed") throw err;
    const detail = String(err.details["detail"] ?? "");
    throw new GatewayError("invalid_argument", `OAuth connection failed: ${detail}`, { cause: err });
  }
}
