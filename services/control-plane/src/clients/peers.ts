import type { UpstreamAdminServiceDefinition } from "@gatehouse/proto/mcp-aggregator";
import type { RpcClient } from "@gatehouse/rpc";

/** Upstream MCP servers of `mcp_gateway` projects, in this process or another. */
export type UpstreamAdminClient = RpcClient<typeof UpstreamAdminServiceDefinition>;
