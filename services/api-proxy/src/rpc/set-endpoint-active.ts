import { readOrigin } from "@gatehouse/audit";
import type { SetEndpointActiveRequest, SetEndpointActiveResponse } from "@gatehouse/proto/api-proxy";
import type { CallContext } from "@gatehouse/rpc";
import { setEndpointActive } from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";
import { toEndpointMessage } from "./messages.ts";

export async function handleSetEndpointActive(
  { store }: AdminContext,
  { endpointUuid: uuid, isActive }: SetEndpointActiveRequest,
  { metadata }: CallContext,
): Promise<SetEndpointActiveResponse> {
  return { endpoint: toEndpointMessage(await setEndpointActive(store, { uuid, isActive }, readOrigin(metadata))) };
}
