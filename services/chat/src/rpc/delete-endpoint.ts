import type { DeleteEndpointRequest, DeleteEndpointResponse } from "@gatehouse/proto/chat";
import type { CallContext } from "@gatehouse/rpc";
import { deleteEndpoint } from "../store/endpoints.ts";
import { type AdminContext, askedFor } from "./admin-context.ts";
import { toEndpointMessage } from "./messages.ts";

export async function handleDeleteEndpoint(
  { store }: AdminContext,
  request: DeleteEndpointRequest,
  { metadata }: CallContext,
): Promise<DeleteEndpointResponse> {
  return { endpoint: toEndpointMessage(await deleteEndpoint(askedFor(store, metadata), request.endpointUuid)) };
}
