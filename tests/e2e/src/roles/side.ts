import { randomUUID } from "node:crypto";
import { type ControlPlaneClient, createProject, type Json } from "../control-plane-client.ts";
import { exchange } from "../exchange.ts";
import type { Product } from "../product.ts";

/** Arguments that name a resource, and so the call's project. */
export type PlacingArgument =
  | "project"
  | "endpoint"
  | "token_id"
  | "issuer_id"
  | "webhook_id"
  | "delivery_id"
  | "upstream_id"
  | "connection_id"
  | "session_id";

/** One tenant's projects of each type, with an item of every kind. */
export interface Side {
  /** Part of all its names. */
  readonly label: string;
  readonly projects: readonly string[];
  readonly things: Readonly<Record<PlacingArgument, readonly (string | number)[]>>;
  /** Given and generated secrets, which may never be shown again. */
  readonly secrets: readonly string[];
}

/** Ids without a resource. */
export const nothing = { uuid: "00000000-0000-4000-8000-000000000000", id: 987_654_321 } as const;

export const planted = "planted-secret";

interface SideOptions {
  readonly product: Product;
  readonly control: ControlPlaneClient;
  readonly label: string;
  /** Address of a server that accepts everything. */
  readonly receiver: string;
}

type Make = (
  name: string,
  args: Json,
) => Promise<{ readonly id: number; readonly uuid: string; readonly secret?: string }>;

/** Creates a side. Requires a provider named `mock`. */
export async function createSide(options: SideOptions): Promise<Side> {
  const { product, control, label } = options;
  const named = async (type: string) =>
    await createProject(control, { type, scopes: ["chat", "mcp", "models", "proxy"] });
  const [ai, mcp, api] = [await named("ai_gateway"), await named("mcp_gateway"), await named("api_gateway")];
  const fixtures = [ai, mcp, api];
  for (const { project } of fixtures) await control.call("svc_update_project", { project, name: `${label} project` });
  const make: Make = async (name, args) => await control.call(name, args);
  const models = await fillAiGateway(make, options, ai.project);
  const servers = await fillGateways(make, options, { mcp: mcp.project, api: api.project });
  const path = `/api/${ai.project}/${label}-chat`;
  await exchange(`${product.url}${path}`, { token: ai.token, body: { message: "Hi", session_id: randomUUID() } });
  const { sessions } = await control.call<{ sessions: readonly { readonly id: number }[] }>("svc_list_sessions", {
    project: ai.project,
  });
  const projects = fixtures.map(({ project }) => project);
  return {
    label,
    projects,
    things: {
      project: projects,
      endpoint: [models.chat, servers.proxy],
      token_id: [ai.tokenId, models.subject],
      issuer_id: [models.issuer],
      webhook_id: [models.webhook],
      delivery_id: [models.delivery],
      upstream_id: [servers.upstream],
      connection_id: [servers.connection],
      session_id: sessions.map(({ id }) => id),
    },
    secrets: [models.secret, ...fixtures.map(({ token }) => token)],
  };
}

async function fillAiGateway(make: Make, { label, receiver }: SideOptions, project: string) {
  const targets = [{ provider: "mock", model: "mock-1" }];
  const { uuid: chat } = await make("svc_create_endpoint", { project, slug: `${label}-chat`, targets });
  const { id: webhook, secret = "" } = await make("svc_create_webhook", {
    project,
    name: `${label} hook`,
    url: `${receiver}/${label}-hook`,
    events: ["token.created", "token.revoked"],
  });
  const { id: delivery } = await make("svc_test_webhook", { webhook_id: webhook });
  const { id: issuer } = await make("svc_create_issuer", {
    project,
    issuer: `https://${label}.invalid`,
    audience: `${label}-audience`,
    scopes: ["chat"],
  });
  const { id: subject } = await make("svc_revoke_subject", { issuer_id: issuer, subject: `${label}-subject` });
  await make("svc_set_guardrails", { project, keywords: [`${label}-keyword`] });
  await make("svc_set_guardrails", { endpoint: chat, keywords: [`${label}-own-keyword`] });
  return { chat, webhook, secret, delivery, issuer, subject };
}

interface GatewayProjects {
  readonly mcp: string;
  readonly api: string;
}

async function fillGateways(make: Make, { label, receiver }: SideOptions, { mcp, api }: GatewayProjects) {
  const { id: upstream } = await make("svc_create_upstream", {
    project: mcp,
    prefix: label,
    url: `${receiver}/${label}-mcp`,
    bearer_token: `${planted}-upstream-${label}`,
  });
  const { id: connection } = await make("svc_create_oauth_connection", {
    project: api,
    name: `${label} connection`,
    token_url: `${receiver}/${label}-oauth`,
    client_id: `${label}-client`,
    client_secret: `${planted}-client-${label}`,
    grant: "client_credentials",
  });
  const { uuid: proxy } = await make("svc_create_endpoint", {
    project: api,
    slug: `${label}-api`,
    upstream_url: `${receiver}/${label}-api`,
    allowed_methods: ["GET"],
    auth: { type: "header", name: "x-key", value: `${planted}-header-${label}` },
  });
  return { upstream, connection, proxy };
}
