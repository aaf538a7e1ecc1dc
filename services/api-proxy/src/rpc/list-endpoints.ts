import type { ListEndpointsRequest, ListEndpointsResponse } from "@gatehouse/proto/api-proxy";
import { listEndpoints } from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";
import { toEndpointMessage, toPageRequest } from "./messages.ts";

export async function handleListEndpoints(
  { store }: AdminContext,
  { projectUuid, page }: ListEndpointsRequest,
): Promise<ListEndpointsResponse> {
  const { items, nextCursor = "" } = await listEndpoints(store, { ...toPageRequest(page), projectUuid });
  return { endpoints: items.map(toEndpointMessage), nextCursor };
}
