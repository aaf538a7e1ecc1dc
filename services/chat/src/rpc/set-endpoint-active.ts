import type { SetEndpointActiveRequest, SetEndpointActiveResponse } from "@gatehouse/proto/chat";
import type { CallContext } from "@gatehouse/rpc";
import { setEndpointActive } from "../store/endpoints.ts";
import { type AdminContext, askedFor } from "./admin-context.ts";
import { toEndpointMessage } from "./messages.ts";

export async function handleSetEndpointActive(
  { store }: AdminContext,
  request: SetEndpointActiveRequest,
  { metadata }: CallContext,
): Promise<SetEndpointActiveResponse> {
  return {
    endpoint: toEndpointMessage(
      await setEndpointActive(askedFor(store, metadata), request.endpointUuid, request.isActive),
    ),
  };
}
