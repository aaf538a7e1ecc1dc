import { readOrigin } from "@gatehouse/audit";
import type { UpdateUpstreamRequest, UpdateUpstreamResponse } from "@gatehouse/proto/mcp-aggregator";
import type { CallContext } from "@gatehouse/rpc";
import { Secret } from "@gatehouse/vault";
import { checkBearerToken, checkUrlForm } from "../domain/check-upstream.ts";
import { checkPrefix } from "../domain/tool-name.ts";
import { updateUpstream } from "../store/upstreams.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromUpstream, toSettings } from "./messages.ts";

/** @throws GatewayError `not_found`, `invalid_argument`, `already_exists` or `ssrf_blocked`, naming what is wrong. */
export async function handleUpdateUpstream(
  { writer, registry, checkUrl }: AdminContext,
  { upstreamId, prefix, url, bearerToken, isActive, settingsJson }: UpdateUpstreamRequest,
  { metadata }: CallContext,
): Promise<UpdateUpstreamResponse> {
  if (prefix !== undefined) checkPrefix(prefix);
  if (url !== undefined) checkUrlForm(url);
  if (bearerToken !== undefined && bearerToken !== "") checkBearerToken(bearerToken);
  const settings = settingsJson === undefined ? undefined : toSettings(settingsJson);
  if (url !== undefined) await checkUrl(url);
  const update = { prefix, url, bearerToken: toToken(bearerToken), isActive, settings };
  const upstream = await updateUpstream(writer, readOrigin(metadata), { id: upstreamId, update });
  await registry.find(upstream.projectUuid);
  return { upstream: fromUpstream(upstream, registry.peek(upstream.id)) };
}

/** An empty text takes the token away. */
function toToken(text: string | undefined): Secret | null | undefined {
  if (text === undefined) return undefined;
  return text === "" ? null : new Secret(text);
}
