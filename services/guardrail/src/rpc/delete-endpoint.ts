import type { DeleteEndpointRequest, DeleteEndpointResponse } from "@gatehouse/proto/guardrail";
import { deleteEndpoint } from "../store/policies.ts";
import type { AdminContext } from "./admin-context.ts";

export async function handleDeleteEndpoint(
  { transact }: AdminContext,
  { endpointUuid }: DeleteEndpointRequest,
): Promise<DeleteEndpointResponse> {
  await deleteEndpoint(transact, endpointUuid);
  return {};
}
