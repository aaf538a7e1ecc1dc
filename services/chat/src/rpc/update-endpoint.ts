import type { UpdateEndpointRequest, UpdateEndpointResponse } from "@gatehouse/proto/chat";
import type { CallContext } from "@gatehouse/rpc";
import { checkEndpointDefinition } from "../domain/endpoint-rules.ts";
import { proveSchemas } from "../domain/schema/check-value.ts";
import { updateEndpoint } from "../store/endpoints.ts";
import { type AdminContext, askedFor } from "./admin-context.ts";
import { fromDefinitionMessage, mergeDefinition, toEndpointMessage } from "./messages.ts";

export async function handleUpdateEndpoint(
  { store, checkText }: AdminContext,
  request: UpdateEndpointRequest,
  { metadata }: CallContext,
): Promise<UpdateEndpointResponse> {
  const changed = fromDefinitionMessage(request.definition);
  await proveSchemas(changed, checkText, { tenant: request.endpointUuid });
  const endpoint = await updateEndpoint(askedFor(store, metadata), request.endpointUuid, (present) => {
    const definition = mergeDefinition(present, changed, request.updateMask ?? []);
    checkEndpointDefinition(definition);
    return definition;
  });
  return { endpoint: toEndpointMessage(endpoint) };
}
