import { GatewayError } from "@gatehouse/errors";
import type { RefreshUpstreamRequest, RefreshUpstreamResponse } from "@gatehouse/proto/mcp-aggregator";
import { hopOf } from "../domain/hops.ts";
import { joinToolName } from "../domain/tool-name.ts";
import { toCallerError, UpstreamFailure } from "../domain/upstream-failure.ts";
import { visibleTools } from "../domain/listing.ts";
import { readUpstream } from "../store/registered-upstreams.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromUpstream } from "./messages.ts";

/** @throws GatewayError `not_found`; `invalid_argument` for an inactive upstream; `upstream_unreachable` where it fails. */
export async function handleRefreshUpstream(
  { database, writer, registry }: AdminContext,
  { upstreamId }: RefreshUpstreamRequest,
): Promise<RefreshUpstreamResponse> {
  const { projectUuid, isActive } = await readUpstream(database, writer.keyring, upstreamId);
  if (!isActive) throw new GatewayError("invalid_argument", `Upstream is not active: ${upstreamId}`);
  await registry.find(projectUuid);
  const runtime = registry.peek(upstreamId);
  if (runtime === undefined) throw new GatewayError("unavailable", "The upstream is being changed. Try again.");
  const { upstream } = runtime;
  await runtime.refresh(hopOf(projectUuid)).catch((err: unknown) => {
    throw err instanceof UpstreamFailure ? toCallerError(upstream.prefix, err) : err;
  });
  const { snapshot } = runtime;
  const tools = snapshot === undefined ? [] : visibleTools(snapshot.tools, upstream, snapshot.pins);
  return {
    upstream: fromUpstream(upstream, runtime),
    toolNames: tools.map(({ name }) => joinToolName(upstream.prefix, name)),
  };
}
