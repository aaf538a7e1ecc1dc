import { randomUUID } from "node:crypto";
import { type AuditOrigin, readOrigin } from "@gatehouse/audit";
import { GatewayError } from "@gatehouse/errors";
import {
  ApiProxyAdminServiceDefinition,
  type Endpoint,
  type EndpointAuth,
  type OauthConnection,
} from "@gatehouse/proto/api-proxy";
import { bindRpc, type CallContext, type RpcBinding } from "@gatehouse/rpc";

/** The API proxy's administration in memory: it calls nobody. */
export interface FakeApiProxy {
  readonly binding: RpcBinding<typeof ApiProxyAdminServiceDefinition>;
  /** The auth of the last endpoint that was made or changed, secrets included. */
  readonly auths: (EndpointAuth | undefined)[];
  /** Who asked for each change. */
  readonly origins: AuditOrigin[];
}

const at = new Date("2026-11-21T08:00:00.000Z");

export function createFakeApiProxy(): FakeApiProxy {
  const endpoints = new Map<string, Endpoint>();
  const connections = new Map<number, OauthConnection>();
  const auths: (EndpointAuth | undefined)[] = [];
  const origins: AuditOrigin[] = [];
  const require = (uuid: string): Endpoint => {
    const endpoint = endpoints.get(uuid);
    if (endpoint === undefined) throw new GatewayError("not_found", `Endpoint not found: ${uuid}`);
    return endpoint;
  };
  const keep = (endpoint: Endpoint, { metadata }: CallContext) => {
    origins.push(readOrigin(metadata));
    endpoints.set(endpoint.uuid, endpoint);
    return Promise.resolve({ endpoint });
  };
  const binding = bindRpc(ApiProxyAdminServiceDefinition, {
    async createEndpoint({ projectUuid, definition }, context) {
      if (definition === undefined) throw new GatewayError("invalid_argument", "Missing required argument: definition");
      auths.push(definition.auth);
      const shown = { ...definition, auth: withoutSecrets(definition.auth) };
      const endpoint = {
        uuid: randomUUID(),
        projectUuid,
        isActive: true,
        definition: shown,
        createdAt: at,
        updatedAt: at,
      };
      return await keep(endpoint, context);
    },
    async listEndpoints({ projectUuid }) {
      const owned = [...endpoints.values()].filter((endpoint) => endpoint.projectUuid === projectUuid);
      return await Promise.resolve({ endpoints: owned, nextCursor: "" });
    },
    getEndpoint: async ({ endpointUuid }) => await Promise.resolve({ endpoint: require(endpointUuid) }),
    async updateEndpoint({ endpointUuid, timeoutMs, description, allowedMethods, ...changes }, context) {
      const { definition, ...endpoint } = require(endpointUuid);
      if (definition === undefined) throw new Error("Every endpoint has a definition.");
      if (changes.auth !== undefined) auths.push(changes.auth);
      const changed = {
        slug: changes.slug ?? definition.slug,
        upstreamUrl: changes.upstreamUrl ?? definition.upstreamUrl,
        allowedMethods: allowedMethods.length === 0 ? definition.allowedMethods : allowedMethods,
        auth: changes.auth === undefined ? definition.auth : withoutSecrets(changes.auth),
        timeoutMs: timeoutMs === undefined ? definition.timeoutMs : timeoutMs === 0 ? undefined : timeoutMs,
        description: description === undefined ? definition.description : description === "" ? undefined : description,
      };
      return await keep({ ...endpoint, definition: changed }, context);
    },
    setEndpointActive: async ({ endpointUuid, isActive }, context) =>
      await keep({ ...require(endpointUuid), isActive }, context),
    async deleteEndpoint({ endpointUuid }) {
      const endpoint = require(endpointUuid);
      endpoints.delete(endpointUuid);
      return await Promise.resolve({ endpoint });
    },
    async createOauthConnection({ projectUuid, name, tokenUrl, clientId, grant, scopes }, { metadata }) {
      origins.push(readOrigin(metadata));
      const id = connections.size + 1;
      const state = { status: "connected", lastError: "", expiresAt: at, createdAt: at };
      const connection = { id, projectUuid, name, tokenUrl, clientId, grant, scopes, ...state };
      connections.set(id, connection);
      return await Promise.resolve({ connection });
    },
    async listOauthConnections({ projectUuid }) {
      const owned = [...connections.values()].filter((connection) => connection.projectUuid === projectUuid);
      return await Promise.resolve({ connections: owned, nextCursor: "" });
    },
    async deleteOauthConnection({ connectionId }) {
      const connection = connections.get(connectionId);
      if (connection === undefined) throw new GatewayError("not_found", `OAuth connection not found: ${connectionId}`);
      connections.delete(connectionId);
      return await Promise.resolve({ connection });
    },
    async deleteProject({ projectUuid }) {
      for (const { uuid, projectUuid: owner } of endpoints.values()) if (owner === projectUuid) endpoints.delete(uuid);
      return await Promise.resolve({});
    },
  });
  return { binding, auths, origins };
}

function withoutSecrets(auth: EndpointAuth | undefined): EndpointAuth | undefined {
  return auth && { ...auth, value: "", password: "" };
}
