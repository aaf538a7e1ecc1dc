import type { ListUpstreamsRequest, ListUpstreamsResponse } from "@gatehouse/proto/mcp-aggregator";
import { listUpstreams } from "../store/registered-upstreams.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromUpstream } from "./messages.ts";

export async function handleListUpstreams(
  { database, registry }: AdminContext,
  request: ListUpstreamsRequest,
): Promise<ListUpstreamsResponse> {
  const { items, nextCursor = "" } = await listUpstreams(database, request);
  // What is kept from before a restart is part of what is known.
  await registry.find(request.projectUuid);
  return { upstreams: items.map((upstream) => fromUpstream(upstream, registry.peek(upstream.id))), nextCursor };
}
