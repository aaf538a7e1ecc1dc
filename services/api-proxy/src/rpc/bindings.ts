import { ApiProxyAdminServiceDefinition } from "@gatehouse/proto/api-proxy";
import { bindRpc, type RpcBinding } from "@gatehouse/rpc";
import type { AdminContext } from "./admin-context.ts";
import { handleCreateEndpoint } from "./create-endpoint.ts";
import { handleCreateOauthConnection } from "./create-oauth-connection.ts";
import { handleDeleteEndpoint } from "./delete-endpoint.ts";
import { handleDeleteOauthConnection } from "./delete-oauth-connection.ts";
import { handleDeleteProject } from "./delete-project.ts";
import { handleGetEndpoint } from "./get-endpoint.ts";
import { handleListEndpoints } from "./list-endpoints.ts";
import { handleListOauthConnections } from "./list-oauth-connections.ts";
import { handleSetEndpointActive } from "./set-endpoint-active.ts";
import { handleUpdateEndpoint } from "./update-endpoint.ts";

/** Binds every administrative method to its handler. */
export function bindApiProxyAdmin(context: AdminContext): RpcBinding<typeof ApiProxyAdminServiceDefinition> {
  return bindRpc(ApiProxyAdminServiceDefinition, {
    createEndpoint: async (request, call) => await handleCreateEndpoint(context, request, call),
    listEndpoints: async (request) => await handleListEndpoints(context, request),
    getEndpoint: async (request) => await handleGetEndpoint(context, request),
    updateEndpoint: async (request, call) => await handleUpdateEndpoint(context, request, call),
    setEndpointActive: async (request, call) => await handleSetEndpointActive(context, request, call),
    deleteEndpoint: async (request, call) => await handleDeleteEndpoint(context, request, call),
    createOauthConnection: async (request, call) => await handleCreateOauthConnection(context, request, call),
    listOauthConnections: async (request) => await handleListOauthConnections(context, request),
    deleteOauthConnection: async (request, call) => await handleDeleteOauthConnection(context, request, call),
    deleteProject: async (request) => await handleDeleteProject(context, request),
  });
}
