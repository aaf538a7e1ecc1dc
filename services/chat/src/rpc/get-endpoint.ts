import type { GetEndpointRequest, GetEndpointResponse } from "@gatehouse/proto/chat";
import { getEndpoint } from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";
import { toEndpointMessage } from "./messages.ts";

export async function handleGetEndpoint(
  { store }: AdminContext,
  request: GetEndpointRequest,
): Promise<GetEndpointResponse> {
  return { endpoint: toEndpointMessage(await getEndpoint(store, request.endpointUuid)) };
}
