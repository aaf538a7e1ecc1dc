import { readOrigin } from "@gatehouse/audit";
import type { CreateEndpointRequest, CreateEndpointResponse } from "@gatehouse/proto/api-proxy";
import type { CallContext } from "@gatehouse/rpc";
import { checkAuth, checkEndpointSettings } from "../domain/endpoint-rules.ts";
import { createEndpoint } from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";
import { toAuth, toEndpointMessage, toSettings } from "./messages.ts";

export async function handleCreateEndpoint(
  { store, readUpstreamUrl }: AdminContext,
  { projectUuid, definition }: CreateEndpointRequest,
  { metadata }: CallContext,
): Promise<CreateEndpointResponse> {
  const settings = toSettings(definition);
  const auth = toAuth(definition?.auth);
  checkEndpointSettings(settings);
  checkAuth(auth);
  const { url: upstreamUrl, warning } = await readUpstreamUrl(settings.upstreamUrl);
  const made = { projectUuid, settings: { ...settings, upstreamUrl }, auth };
  return { endpoint: { ...toEndpointMessage(await createEndpoint(store, made, readOrigin(metadata))), warning } };
}
