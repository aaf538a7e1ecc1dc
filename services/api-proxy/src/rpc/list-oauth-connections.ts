import type { ListOauthConnectionsRequest, ListOauthConnectionsResponse } from "@gatehouse/proto/api-proxy";
import { listConnections } from "../store/oauth-connections.ts";
import type { AdminContext } from "./admin-context.ts";
import { toConnectionMessage, toPageRequest } from "./messages.ts";

export async function handleListOauthConnections(
  { store }: AdminContext,
  { projectUuid, page }: ListOauthConnectionsRequest,
): Promise<ListOauthConnectionsResponse> {
  const { items, nextCursor = "" } = await listConnections(store, { ...toPageRequest(page), projectUuid });
  return { connections: items.map(toConnectionMessage), nextCursor };
}
