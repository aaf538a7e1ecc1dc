import { readOrigin } from "@gatehouse/audit";
import type { UpdateEndpointRequest, UpdateEndpointResponse } from "@gatehouse/proto/api-proxy";
import type { CallContext } from "@gatehouse/rpc";
import type { EndpointSettings } from "../domain/endpoint.ts";
import { checkAuth, checkEndpointSettings } from "../domain/endpoint-rules.ts";
import { updateEndpoint } from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";
import { toAuth, toEndpointMessage, toMethods } from "./messages.ts";

export async function handleUpdateEndpoint(
  { store, readUpstreamUrl }: AdminContext,
  request: UpdateEndpointRequest,
  { metadata }: CallContext,
): Promise<UpdateEndpointResponse> {
  const auth = request.auth === undefined ? undefined : toAuth(request.auth);
  if (auth !== undefined) checkAuth(auth);
  const address = request.upstreamUrl === undefined ? undefined : await readUpstreamUrl(request.upstreamUrl);
  const change = (present: EndpointSettings): EndpointSettings => {
    const settings = merge(present, request);
    // The form is judged as it was written: a parser takes an empty query away.
    checkEndpointSettings(settings);
    return { ...settings, upstreamUrl: address?.url ?? present.upstreamUrl };
  };
  const update = { uuid: request.endpointUuid, change, auth, changed: changedNames(request) };
  const endpoint = toEndpointMessage(await updateEndpoint(store, update, readOrigin(metadata)));
  return { endpoint: { ...endpoint, warning: address?.warning } };
}

function merge(present: EndpointSettings, request: UpdateEndpointRequest): EndpointSettings {
  const { slug, upstreamUrl, allowedMethods, timeoutMs, description } = request;
  return {
    slug: slug ?? present.slug,
    upstreamUrl: upstreamUrl ?? present.upstreamUrl,
    allowedMethods: allowedMethods.length === 0 ? present.allowedMethods : toMethods(allowedMethods),
    timeoutMs: timeoutMs === undefined ? present.timeoutMs : timeoutMs === 0 ? null : timeoutMs,
    description: description === undefined ? present.description : description === "" ? null : description,
  };
}

function changedNames(request: UpdateEndpointRequest): readonly string[] {
  const { slug, upstreamUrl, allowedMethods, auth, timeoutMs, description } = request;
  const given: readonly (readonly [name: string, value: unknown])[] = [
    ["slug", slug],
    ["upstream_url", upstreamUrl],
    ["allowed_methods", allowedMethods.length === 0 ? undefined : allowedMethods],
    ["auth", auth],
    ["timeout_ms", timeoutMs],
    ["description", description],
  ];
  return given.filter(([, value]) => value !== undefined).map(([name]) => name);
}
