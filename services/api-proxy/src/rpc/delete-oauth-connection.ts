import { readOrigin } from "@gatehouse/audit";
import type { DeleteOauthConnectionRequest, DeleteOauthConnectionResponse } from "@gatehouse/proto/api-proxy";
import type { CallContext } from "@gatehouse/rpc";
import { deleteConnection } from "../store/oauth-connections.ts";
import type { AdminContext } from "./admin-context.ts";
import { toConnectionMessage } from "./messages.ts";

export async function handleDeleteOauthConnection(
  { store }: AdminContext,
  { connectionId }: DeleteOauthConnectionRequest,
  { metadata }: CallContext,
): Promise<DeleteOauthConnectionResponse> {
  return { connection: toConnectionMessage(await deleteConnection(store, connectionId, readOrigin(metadata))) };
}
