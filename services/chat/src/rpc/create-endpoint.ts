import type { CreateEndpointRequest, CreateEndpointResponse } from "@gatehouse/proto/chat";
import type { CallContext } from "@gatehouse/rpc";
import { checkEndpointDefinition } from "../domain/endpoint-rules.ts";
import { proveSchemas } from "../domain/schema/check-value.ts";
import { createEndpoint } from "../store/endpoints.ts";
import { type AdminContext, askedFor } from "./admin-context.ts";
import { fromDefinitionMessage, toEndpointMessage } from "./messages.ts";

export async function handleCreateEndpoint(
  { store, checkText }: AdminContext,
  request: CreateEndpointRequest,
  { metadata }: CallContext,
): Promise<CreateEndpointResponse> {
  const definition = fromDefinitionMessage(request.definition);
  checkEndpointDefinition(definition);
  await proveSchemas(definition, checkText, { tenant: request.projectUuid });
  return {
    endpoint: toEndpointMessage(await createEndpoint(askedFor(store, metadata), request.projectUuid, definition)),
  };
}
