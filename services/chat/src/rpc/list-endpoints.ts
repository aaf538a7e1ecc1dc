import type { ListEndpointsRequest, ListEndpointsResponse } from "@gatehouse/proto/chat";
import { listEndpoints } from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";
import { toEndpointMessage, toPageRequest } from "./messages.ts";

export async function handleListEndpoints(
  { store }: AdminContext,
  request: ListEndpointsRequest,
): Promise<ListEndpointsResponse> {
  const { projectUuid, page } = request;
  const { items, nextCursor = "" } = await listEndpoints(store, { ...toPageRequest(page), projectUuid });
  return { endpoints: items.map(toEndpointMessage), nextCursor };
}
