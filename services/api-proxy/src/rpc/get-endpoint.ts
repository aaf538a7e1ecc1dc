import type { GetEndpointRequest, GetEndpointResponse } from "@gatehouse/proto/api-proxy";
import { getEndpoint } from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";
import { toEndpointMessage } from "./messages.ts";

export async function handleGetEndpoint(
  { store }: AdminContext,
  { endpointUuid }: GetEndpointRequest,
): Promise<GetEndpointResponse> {
  return { endpoint: toEndpointMessage(await getEndpoint(store, endpointUuid)) };
}
