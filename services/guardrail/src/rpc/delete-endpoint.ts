import type { DeleteEndpointRequest, DeleteEndpointResponse } from "@gatehouse/proto/guardrail";
import { clearPolicy } from "../store/policies.ts";
import type { AdminContext } from "./admin-context.ts";

export async function handleDeleteEndpoint(
  { transact }: AdminContext,
  { endpointUuid }: DeleteEndpointRequest,
): Promise<DeleteEndpointResponse> {
  await clearPolicy(transact, endpointUuid);
  return {};
}
