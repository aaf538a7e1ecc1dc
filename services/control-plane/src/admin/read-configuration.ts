import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import type {
  ConfigurationState,
  EndpointState,
  IssuerState,
  ProjectState,
  ProviderState,
} from "../domain/configuration/state.ts";
import type { OperationRunner } from "../operations/operation-runner.ts";

/** Reads the whole configuration through the operations that show it. */
export async function readConfiguration(operations: OperationRunner): Promise<ConfigurationState> {
  const providers = await readProviders(operations);
  const projects: ProjectState[] = [];
  for (const settings of await operations.listAll("svc_list_projects", {}, "projects")) {
    projects.push(await readProject(operations, settings));
  }
  return { providers, projects };
}

async function readProviders(operations: OperationRunner): Promise<ProviderState[]> {
  const [providers, credentials] = await Promise.all([
    operations.listAll("svc_list_providers", {}, "providers"),
    operations.listAll("svc_list_credentials", {}, "credentials"),
  ]);
  return providers.map((settings) => ({
    settings,
    credentials: credentials.filter(({ provider }) => provider === settings["name"]),
  }));
}

/** Lists of each project type. */
const contents: Readonly<
  Record<string, { readonly endpoints?: true; readonly upstreams?: true; readonly oauth?: true }>
> = {
  ai_gateway: { endpoints: true },
  ai_wrapper: { endpoints: true },
  mcp_gateway: { upstreams: true },
  api_gateway: { endpoints: true, oauth: true },
};

async function readProject(operations: OperationRunner, settings: JsonObject): Promise<ProjectState> {
  const project = String(settings["uuid"]);
  const has = contents[String(settings["project_type"])] ?? {};
  const list = async (isThere: true | undefined, operation: string, key: string) =>
    isThere === undefined ? [] : await operations.listAll(operation, { project }, key);
  const [guardrails, tokens, issuers, oauthConnections, endpoints, upstreams, webhooks] = await Promise.all([
    readPolicy(operations, { project }),
    operations.listAll("svc_list_tokens", { project }, "tokens"),
    readIssuers(operations, project),
    list(has.oauth, "svc_list_oauth_connections", "oauth_connections"),
    list(has.endpoints, "svc_list_endpoints", "endpoints"),
    list(has.upstreams, "svc_list_upstreams", "upstreams"),
    operations.listAll("svc_list_webhooks", { project }, "webhooks"),
  ]);
  const usableTokens = tokens.filter(({ is_active: isActive }) => isActive === true);
  const endpointStates: EndpointState[] = [];
  for (const endpoint of endpoints) {
    endpointStates.push(await readEndpoint(operations, withConnectionName(endpoint, oauthConnections)));
  }
  return {
    settings,
    guardrails,
    tokens: usableTokens,
    issuers,
    oauthConnections,
    endpoints: endpointStates,
    upstreams,
    webhooks,
  };
}

async function readIssuers(operations: OperationRunner, project: string): Promise<IssuerState[]> {
  const issuers: IssuerState[] = [];
  for (const settings of await operations.listAll("svc_list_issuers", { project }, "issuers")) {
    const asked = { issuer_id: settings["id"], revoked: true };
    const subjects = await operations.listAll("svc_list_subjects", asked, "subjects");
    issuers.push({ settings, revokedSubjects: subjects.map(({ subject }) => String(subject)) });
  }
  return issuers;
}

/** Replaces the connection's id, which differs between installations, by its name. */
function withConnectionName(endpoint: JsonObject, connections: readonly JsonObject[]): JsonObject {
  const { auth } = endpoint;
  if (!isJsonObject(auth) || auth["type"] !== "oauth") return endpoint;
  const named = connections.find(({ id }) => id === auth["connection_id"]);
  return named === undefined ? endpoint : { ...endpoint, auth: { type: "oauth", connection: named["name"] } };
}

async function readEndpoint(operations: OperationRunner, settings: JsonObject): Promise<EndpointState> {
  return { settings, guardrails: await readPolicy(operations, { endpoint: settings["uuid"] }) };
}

/** The owner's own policy, without its project's. */
async function readPolicy(operations: OperationRunner, owner: JsonObject) {
  const { own } = await operations.run("svc_get_guardrails", owner);
  return isJsonObject(own) ? own : undefined;
}
