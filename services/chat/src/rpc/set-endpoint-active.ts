import type { SetEndpointActiveRequest, SetEndpointActiveResponse } from "@gatehouse/proto/chat";
import { setEndpointActive } from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";
import { toEndpointMessage } from "./messages.ts";

export async function handleSetEndpointActive(
  { store }: AdminContext,
  request: SetEndpointActiveRequest,
): Promise<SetEndpointActiveResponse> {
  return { endpoint: toEndpointMessage(await setEndpointActive(store, request.endpointUuid, request.isActive)) };
}
