import type { CreateEndpointRequest, CreateEndpointResponse } from "@gatehouse/proto/chat";
import type { CallContext } from "@gatehouse/rpc";
import { checkEndpointDefinition } from "../domain/endpoint-rules.ts";
import { createEndpoint } from "../store/endpoints.ts";
import { type AdminContext, askedFor } from "./admin-context.ts";
import { fromDefinitionMessage, toEndpointMessage } from "./messages.ts";

export async function handleCreateEndpoint(
  { store }: AdminContext,
  request: CreateEndpointRequest,
  { metadata }: CallContext,
): Promise<CreateEndpointResponse> {
  const definition = fromDefinitionMessage(request.definition);
  checkEndpointDefinition(definition);
  return {
    endpoint: toEndpointMessage(await createEndpoint(askedFor(store, metadata), request.projectUuid, definition)),
  };
}
