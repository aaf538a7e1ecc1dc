import type { TestUpstreamRequest, TestUpstreamResponse } from "@gatehouse/proto/mcp-aggregator";
import { readUpstream } from "../store/registered-upstreams.ts";
import type { AdminContext } from "./admin-context.ts";

/** @throws GatewayError `not_found`. What goes wrong with the upstream stands in the steps. */
export async function handleTestUpstream(
  { database, writer, tryUpstream }: AdminContext,
  { upstreamId }: TestUpstreamRequest,
): Promise<TestUpstreamResponse> {
  const steps = await tryUpstream(await readUpstream(database, writer.keyring, upstreamId));
  return { reachable: steps.every(({ succeeded }) => succeeded), steps: steps.map((step) => ({ ...step })) };
}
