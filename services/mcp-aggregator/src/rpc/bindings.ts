import { UpstreamAdminServiceDefinition } from "@gatehouse/proto/mcp-aggregator";
import { bindRpc, type RpcBinding } from "@gatehouse/rpc";
import type { AdminContext } from "./admin-context.ts";
import { handleApproveTools } from "./approve-tools.ts";
import { handleCreateUpstream } from "./create-upstream.ts";
import { handleDeleteProject } from "./delete-project.ts";
import { handleDeleteUpstream } from "./delete-upstream.ts";
import { handleListUpstreams } from "./list-upstreams.ts";
import { handleRefreshUpstream } from "./refresh-upstream.ts";
import { handleTestUpstream } from "./test-upstream.ts";
import { handleUpdateUpstream } from "./update-upstream.ts";

/** Binds every administrative method to its handler. */
export function bindUpstreamAdmin(context: AdminContext): RpcBinding<typeof UpstreamAdminServiceDefinition> {
  return bindRpc(UpstreamAdminServiceDefinition, {
    createUpstream: async (request, call) => await handleCreateUpstream(context, request, call),
    listUpstreams: async (request) => await handleListUpstreams(context, request),
    updateUpstream: async (request, call) => await handleUpdateUpstream(context, request, call),
    deleteUpstream: async (request, call) => await handleDeleteUpstream(context, request, call),
    refreshUpstream: async (request) => await handleRefreshUpstream(context, request),
    testUpstream: async (request) => await handleTestUpstream(context, request),
    approveTools: async (request, call) => await handleApproveTools(context, request, call),
    deleteProject: async (request) => await handleDeleteProject(context, request),
  });
}
