import { readOrigin } from "@gatehouse/audit";
import type { DeleteUpstreamRequest, DeleteUpstreamResponse } from "@gatehouse/proto/mcp-aggregator";
import type { CallContext } from "@gatehouse/rpc";
import { deleteUpstream } from "../store/upstreams.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromUpstream } from "./messages.ts";

/** @throws GatewayError `not_found` */
export async function handleDeleteUpstream(
  { writer }: AdminContext,
  { upstreamId }: DeleteUpstreamRequest,
  { metadata }: CallContext,
): Promise<DeleteUpstreamResponse> {
  const upstream = await deleteUpstream(writer, readOrigin(metadata), upstreamId);
  return { upstream: fromUpstream(upstream, undefined) };
}
