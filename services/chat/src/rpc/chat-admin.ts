import { ChatAdminServiceDefinition } from "@gatehouse/proto/chat";
import { bindRpc, type RpcBinding } from "@gatehouse/rpc";
import type { AdminContext } from "./admin-context.ts";
import { handleCreateCredential } from "./create-credential.ts";
import { handleCreateEndpoint } from "./create-endpoint.ts";
import { handleCreateProvider } from "./create-provider.ts";
import { handleDeleteCredential } from "./delete-credential.ts";
import { handleDeleteEndpoint } from "./delete-endpoint.ts";
import { handleDeleteProject } from "./delete-project.ts";
import { handleGetEndpoint } from "./get-endpoint.ts";
import { handleGetUsage } from "./get-usage.ts";
import { handleGetProviderHealth } from "./get-provider-health.ts";
import { handleListCredentials } from "./list-credentials.ts";
import { handleListEndpoints } from "./list-endpoints.ts";
import { handleListProviders } from "./list-providers.ts";
import { handleSetCredentialActive } from "./set-credential-active.ts";
import { handleSetEndpointActive } from "./set-endpoint-active.ts";
import { handleSetProviderEnabled } from "./set-provider-enabled.ts";
import { handleUpdateEndpoint } from "./update-endpoint.ts";

/** Binds every administrative method to its handler. */
export function bindChatAdmin(context: AdminContext): RpcBinding<typeof ChatAdminServiceDefinition> {
  return bindRpc(ChatAdminServiceDefinition, {
    createProvider: async (request, call) => await handleCreateProvider(context, request, call),
    listProviders: async (request) => await handleListProviders(context, request),
    setProviderEnabled: async (request, call) => await handleSetProviderEnabled(context, request, call),
    getProviderHealth: async (request) => await handleGetProviderHealth(context, request),
    createCredential: async (request, call) => await handleCreateCredential(context, request, call),
    listCredentials: async (request) => await handleListCredentials(context, request),
    setCredentialActive: async (request, call) => await handleSetCredentialActive(context, request, call),
    deleteCredential: async (request, call) => await handleDeleteCredential(context, request, call),
    createEndpoint: async (request, call) => await handleCreateEndpoint(context, request, call),
    listEndpoints: async (request) => await handleListEndpoints(context, request),
    getEndpoint: async (request) => await handleGetEndpoint(context, request),
    updateEndpoint: async (request, call) => await handleUpdateEndpoint(context, request, call),
    setEndpointActive: async (request, call) => await handleSetEndpointActive(context, request, call),
    deleteEndpoint: async (request, call) => await handleDeleteEndpoint(context, request, call),
    getUsage: async (request) => await handleGetUsage(context, request),
    deleteProject: async (request) => await handleDeleteProject(context, request),
  });
}
