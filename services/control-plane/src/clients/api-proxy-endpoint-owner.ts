import type { JsonObject } from "@gatehouse/json-rpc";
import type { EndpointAuth } from "@gatehouse/proto/api-proxy";
import { readArguments } from "../domain/arguments.ts";
import { encodeProxyEndpoint } from "./api-proxy-encoding.ts";
import {
  type AuthArgument,
  newProxyEndpointArguments,
  proxyEndpointChangeArguments,
  type ProxyEndpointChanges,
} from "./api-proxy-endpoint-arguments.ts";
import { toPageMessage, toPageResult } from "./chat-admin.ts";
import type { EndpointOwner } from "./endpoint-owners.ts";
import type { ApiProxyAdminClient } from "./peers.ts";

/** API Gateway endpoints, which the API proxy keeps for `api_gateway` projects. */
export function createApiProxyEndpointOwner(apiProxy: ApiProxyAdminClient): EndpointOwner {
  return {
    async create({ uuid: projectUuid }, given, options) {
      const args = readArguments(newProxyEndpointArguments, given);
      const definition = {
        slug: args.slug,
        upstreamUrl: args.upstream_url,
        allowedMethods: [...args.allowed_methods],
        auth: toAuthMessage(args.auth ?? { type: "none" }),
        timeoutMs: args.timeout_ms,
        description: args.description,
      };
      return encodeProxyEndpoint((await apiProxy.createEndpoint({ projectUuid, definition }, options)).endpoint);
    },
    async list(projectUuid, page) {
      const { endpoints, nextCursor } = await apiProxy.listEndpoints({ projectUuid, page: toPageMessage(page) });
      return toPageResult(endpoints.map(encodeProxyEndpoint), nextCursor);
    },
    get: async (uuid) => await getEndpoint(apiProxy, uuid),
    async update(uuid, given, options) {
      const changes = readArguments(proxyEndpointChangeArguments, given);
      if (Object.values(changes).every((value) => value === undefined)) return await getEndpoint(apiProxy, uuid);
      const request = { endpointUuid: uuid, ...toUpdate(changes) };
      return encodeProxyEndpoint((await apiProxy.updateEndpoint(request, options)).endpoint);
    },
    async setActive(uuid, isActive, options) {
      const request = { endpointUuid: uuid, isActive };
      return encodeProxyEndpoint((await apiProxy.setEndpointActive(request, options)).endpoint);
    },
    delete: async (uuid, options) =>
      encodeProxyEndpoint((await apiProxy.deleteEndpoint({ endpointUuid: uuid }, options)).endpoint),
    async deleteProject(projectUuid) {
      await apiProxy.deleteProject({ projectUuid });
    },
  };
}

async function getEndpoint(apiProxy: ApiProxyAdminClient, uuid: string): Promise<JsonObject> {
  return encodeProxyEndpoint((await apiProxy.getEndpoint({ endpointUuid: uuid })).endpoint);
}

function toUpdate({ slug, upstream_url, allowed_methods, auth, timeout_ms, description }: ProxyEndpointChanges) {
  return {
    slug,
    upstreamUrl: upstream_url,
    allowedMethods: [...(allowed_methods ?? [])],
    auth: auth === undefined ? undefined : toAuthMessage(auth),
    timeoutMs: timeout_ms === null ? 0 : timeout_ms,
    description: description === null ? "" : description,
  };
}

function toAuthMessage(auth: AuthArgument): EndpointAuth {
  const { type, name = "", value = "", username = "", password = "", connection_id: connectionId = 0 } = auth;
  return { type, name, value, username, password, connectionId };
}
