import { readOrigin } from "@gatehouse/audit";
import type { DeleteEndpointRequest, DeleteEndpointResponse } from "@gatehouse/proto/api-proxy";
import type { CallContext } from "@gatehouse/rpc";
import { deleteEndpoint } from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";
import { toEndpointMessage } from "./messages.ts";

export async function handleDeleteEndpoint(
  { store }: AdminContext,
  { endpointUuid }: DeleteEndpointRequest,
  { metadata }: CallContext,
): Promise<DeleteEndpointResponse> {
  return { endpoint: toEndpointMessage(await deleteEndpoint(store, endpointUuid, readOrigin(metadata))) };
}
