import { readOrigin } from "@gatehouse/audit";
import type { CreateUpstreamRequest, CreateUpstreamResponse } from "@gatehouse/proto/mcp-aggregator";
import type { CallContext } from "@gatehouse/rpc";
import { Secret } from "@gatehouse/vault";
import { checkBearerToken, checkUrlForm } from "../domain/check-upstream.ts";
import { checkPrefix } from "../domain/tool-name.ts";
import { createUpstream } from "../store/upstreams.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromUpstream, toSettings } from "./messages.ts";

/** @throws GatewayError `invalid_argument`, `already_exists` or `ssrf_blocked`, naming what is wrong. */
export async function handleCreateUpstream(
  { writer, registry, checkUrl }: AdminContext,
  { projectUuid, prefix, url, bearerToken = "", settingsJson }: CreateUpstreamRequest,
  { metadata }: CallContext,
): Promise<CreateUpstreamResponse> {
  checkPrefix(prefix);
  checkUrlForm(url);
  if (bearerToken !== "") checkBearerToken(bearerToken);
  const settings = toSettings(settingsJson);
  await checkUrl(url);
  const token = bearerToken === "" ? undefined : new Secret(bearerToken);
  const definition = { projectUuid, prefix, url, bearerToken: token, settings };
  const upstream = await createUpstream(writer, readOrigin(metadata), definition);
  return { upstream: fromUpstream(upstream, registry.peek(upstream.id)) };
}
