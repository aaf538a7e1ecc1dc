import { readOrigin, recordEvent } from "@gatehouse/audit";
import type { ApproveToolsRequest, ApproveToolsResponse } from "@gatehouse/proto/mcp-aggregator";
import type { CallContext } from "@gatehouse/rpc";
import { upstreamUpdated } from "../events.ts";
import { approveTools } from "../store/catalogues.ts";
import { toUpstream } from "../store/upstream-record.ts";
import { requireUpstream, withProject } from "../store/upstreams.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromUpstream } from "./messages.ts";

/** @throws GatewayError `not_found` */
export async function handleApproveTools(
  { writer, registry }: AdminContext,
  { upstreamId, toolNames }: ApproveToolsRequest,
  { metadata }: CallContext,
): Promise<ApproveToolsResponse> {
  const { upstream, approved } = await writer.transact(async (transaction, announce) => {
    const known = await requireUpstream(transaction, upstreamId);
    const names = await approveTools(transaction, upstreamId, toolNames);
    if (names.length === 0) return { upstream: toUpstream(known), approved: names };
    const data = { revision: { increment: 1 } };
    const row = await transaction.upstream.update({ where: { id: upstreamId }, data });
    const origin = withProject(readOrigin(metadata), row);
    await recordEvent(transaction, upstreamUpdated(origin, toUpstream(row), ["approved_tools"]));
    await announce(row.projectUuid);
    return { upstream: toUpstream(row), approved: names };
  });
  await registry.find(upstream.projectUuid);
  return { upstream: fromUpstream(upstream, registry.peek(upstream.id)), approved: [...approved] };
}
