import type { CreateEndpointRequest, CreateEndpointResponse } from "@gatehouse/proto/chat";
import { checkEndpointDefinition } from "../domain/endpoint-rules.ts";
import { createEndpoint } from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromDefinitionMessage, toEndpointMessage } from "./messages.ts";

export async function handleCreateEndpoint(
  { store }: AdminContext,
  request: CreateEndpointRequest,
): Promise<CreateEndpointResponse> {
  const definition = fromDefinitionMessage(request.definition);
  checkEndpointDefinition(definition);
  return { endpoint: toEndpointMessage(await createEndpoint(store, request.projectUuid, definition)) };
}
