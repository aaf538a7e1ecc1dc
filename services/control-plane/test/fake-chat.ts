import { randomUUID } from "node:crypto";
import { GatewayError } from "@gatehouse/errors";
import {
  ChatAdminServiceDefinition,
  type ChatAdminServiceImplementation,
  type Credential,
  type Endpoint,
  type EndpointDefinition,
  type Provider,
} from "@gatehouse/proto/chat";
import { bindRpc, type RpcBinding } from "@gatehouse/rpc";

/** The chat service's administration in memory, with the refusals of the real one. */
export interface FakeChat {
  readonly binding: RpcBinding<typeof ChatAdminServiceDefinition>;
  readonly endpoints: Map<string, Endpoint>;
  readonly apiKeys: string[];
  readonly deletedProjects: string[];
  /** Thrown by every call while set. */
  failure: GatewayError | undefined;
}

export function createFakeChat(): FakeChat {
  const providers = new Map<string, Provider>();
  const credentials = new Map<number, Credential>();
  const endpoints = new Map<string, Endpoint>();
  const fake: Omit<FakeChat, "binding"> = { endpoints, apiKeys: [], deletedProjects: [], failure: undefined };
  const implementation: ChatAdminServiceImplementation = {
    ...providerMethods(providers),
    ...credentialMethods(providers, credentials, fake.apiKeys),
    ...endpointMethods(providers, endpoints),
    getUsage: async ({ month }) => await Promise.resolve({ month, endpoints: [] }),
    async deleteProject({ projectUuid }) {
      if (fake.failure !== undefined) throw fake.failure;
      fake.deletedProjects.push(projectUuid);
      for (const { uuid, projectUuid: owner } of endpoints.values()) if (owner === projectUuid) endpoints.delete(uuid);
      return await Promise.resolve({});
    },
  };
  return Object.assign(fake, { binding: bindRpc(ChatAdminServiceDefinition, implementation) });
}

function providerMethods(providers: Map<string, Provider>) {
  return {
    async createProvider({ name, kind, baseUrl }: { name: string; kind: string; baseUrl?: string | undefined }) {
      if (providers.has(name)) throw new GatewayError("already_exists", `Provider already exists: ${name}`);
      const provider = { id: providers.size + 1, name, kind, baseUrl, enabled: true, createdAt: new Date() };
      providers.set(name, provider);
      return await Promise.resolve({ provider });
    },
    listProviders: async () => await Promise.resolve({ providers: [...providers.values()], nextCursor: "" }),
    async getProviderHealth() {
      const seen = { state: "open", consecutiveFailures: 5, lastFailure: "status_503", lastFailureAt: new Date(1_000) };
      const health = [...providers.values()].map(({ name: provider, enabled }) => ({ provider, enabled, ...seen }));
      return await Promise.resolve({ providers: health });
    },
    async setProviderEnabled({ provider: text, enabled }: { provider: string; enabled: boolean }) {
      const provider = { ...findProvider(providers, text), enabled };
      providers.set(provider.name, provider);
      return await Promise.resolve({ provider });
    },
  };
}

function credentialMethods(providers: Map<string, Provider>, credentials: Map<number, Credential>, apiKeys: string[]) {
  return {
    async createCredential(request: { provider: string; name: string; apiKey: string }) {
      const provider = findProvider(providers, request.provider).name;
      apiKeys.push(request.apiKey);
      const hint = request.apiKey.length < 12 ? "" : request.apiKey.slice(-4);
      const id = apiKeys.length;
      const credential = { id, provider, name: request.name, isActive: true, hint, createdAt: new Date() };
      credentials.set(id, credential);
      return await Promise.resolve({ credential });
    },
    async listCredentials({ provider }: { provider: string }) {
      const name = provider === "" ? undefined : findProvider(providers, provider).name;
      const all = [...credentials.values()].filter((item) => name === undefined || item.provider === name);
      return await Promise.resolve({ credentials: all, nextCursor: "" });
    },
    async setCredentialActive({ credentialId, isActive }: { credentialId: number; isActive: boolean }) {
      const credential = { ...findCredential(credentials, credentialId), isActive };
      credentials.set(credentialId, credential);
      return await Promise.resolve({ credential });
    },
    async deleteCredential({ credentialId }: { credentialId: number }) {
      const credential = findCredential(credentials, credentialId);
      credentials.delete(credentialId);
      return await Promise.resolve({ credential });
    },
  };
}

function endpointMethods(providers: Map<string, Provider>, endpoints: Map<string, Endpoint>) {
  const keep = (endpoint: Endpoint) => {
    for (const { provider } of endpoint.definition?.targets ?? []) {
      if (!providers.has(provider)) throw new GatewayError("invalid_argument", `Provider not found: ${provider}`);
    }
    endpoints.set(endpoint.uuid, endpoint);
    return { endpoint };
  };
  return {
    async createEndpoint({
      projectUuid,
      definition,
    }: {
      projectUuid: string;
      definition?: EndpointDefinition | undefined;
    }) {
      const at = new Date();
      const taken = [...endpoints.values()].some(
        (endpoint) => endpoint.projectUuid === projectUuid && endpoint.definition?.slug === definition?.slug,
      );
      if (taken) throw new GatewayError("already_exists", `Endpoint already exists: ${definition?.slug}`);
      const fresh = { uuid: randomUUID(), projectUuid, isActive: true, definition, createdAt: at, updatedAt: at };
      return await Promise.resolve(keep(fresh));
    },
    async listEndpoints({ projectUuid }: { projectUuid: string }) {
      const own = [...endpoints.values()].filter((endpoint) => endpoint.projectUuid === projectUuid);
      return await Promise.resolve({ endpoints: own, nextCursor: "" });
    },
    getEndpoint: async ({ endpointUuid }: { endpointUuid: string }) =>
      await Promise.resolve({ endpoint: findEndpoint(endpoints, endpointUuid) }),
    async updateEndpoint(request: {
      endpointUuid: string;
      definition?: EndpointDefinition | undefined;
      updateMask?: string[] | undefined;
    }) {
      const endpoint = findEndpoint(endpoints, request.endpointUuid);
      const changes = Object.entries(request.definition ?? {}).filter(([key]) =>
        request.updateMask?.includes(key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
      );
      const definition = { ...endpoint.definition, ...Object.fromEntries(changes) } as EndpointDefinition;
      return await Promise.resolve(keep({ ...endpoint, definition }));
    },
    async setEndpointActive({ endpointUuid, isActive }: { endpointUuid: string; isActive: boolean }) {
      return await Promise.resolve(keep({ ...findEndpoint(endpoints, endpointUuid), isActive }));
    },
    async deleteEndpoint({ endpointUuid }: { endpointUuid: string }) {
      const endpoint = findEndpoint(endpoints, endpointUuid);
      endpoints.delete(endpointUuid);
      return await Promise.resolve({ endpoint });
    },
  };
}

function findProvider(providers: Map<string, Provider>, text: string): Provider {
  const provider = [...providers.values()].find(({ id, name }) => name === text || String(id) === text);
  if (provider === undefined) throw new GatewayError("not_found", `Provider not found: ${text}`);
  return provider;
}

function findCredential(credentials: Map<number, Credential>, id: number): Credential {
  const credential = credentials.get(id);
  if (credential === undefined) throw new GatewayError("not_found", `Credential not found: ${id}`);
  return credential;
}

function findEndpoint(endpoints: Map<string, Endpoint>, uuid: string): Endpoint {
  const endpoint = endpoints.get(uuid);
  if (endpoint === undefined) throw new GatewayError("not_found", `Endpoint not found: ${uuid}`);
  return endpoint;
}
