import type { DeleteEndpointRequest, DeleteEndpointResponse } from "@gatehouse/proto/chat";
import { deleteEndpoint } from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";
import { toEndpointMessage } from "./messages.ts";

export async function handleDeleteEndpoint(
  { store }: AdminContext,
  request: DeleteEndpointRequest,
): Promise<DeleteEndpointResponse> {
  return { endpoint: toEndpointMessage(await deleteEndpoint(store, request.endpointUuid)) };
}
