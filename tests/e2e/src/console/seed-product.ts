import type { ControlPlaneClient } from "../control-plane-client.ts";
import type { Product } from "../product.ts";

/** Items that {@link seedProduct} creates. */
export interface SeededProduct {
  readonly shop: string;
  readonly tools: string;
  readonly wrapper: string;
  readonly api: string;
  readonly webhookId: number;
  /** Uuid of the shop's `help`. */
  readonly endpointId: string;
  /** Token of the shop, with the scope `chat`. */
  readonly token: string;
  /** Id of that token. */
  readonly tokenId: number;
}

export interface Outside {
  /** A receiver of webhooks. */
  readonly receiverUrl: string;
  readonly upstreamUrl: string;
}

/** Fills a product so that every page has content: projects of each type, and their calls. */
export async function seedProduct(
  product: Product,
  control: ControlPlaneClient,
  outside: Outside,
): Promise<SeededProduct> {
  await control.call("svc_create_provider", { name: "mock", kind: "mock" });
  await control.call("svc_create_provider", {
    name: "spare",
    kind: "openai-compatible",
    base_url: "http://127.0.0.1:9/v1",
  });
  await control.call("svc_create_credential", { provider: "spare", name: "main", api_key: "sk-not-a-real-key-1234" });
  const project = async (name: string, type: string, limits: object = {}) =>
    (await control.call<{ uuid: string }>("svc_create_project", { name, project_type: type, ...limits })).uuid;
  const shop = await project("Web shop", "ai_gateway", { rate_limit_per_minute: 100, rate_limit_per_hour: 1_000 });
  const wrapper = await project("Chat for the office", "ai_wrapper");
  const api = await project("Weather", "api_gateway");
  const tools = await project("Tools of the team", "mcp_gateway");
  const { token, id: tokenId, endpointId } = await seedShop(control, shop);
  await furnishOthers(control, { wrapper, api, tools }, outside);
  const { id: webhookId } = await control.call<{ id: number }>("svc_create_webhook", {
    project: shop,
    name: "Orders",
    url: outside.receiverUrl,
    events: ["token.created", "budget.exhausted"],
  });
  await control.call("svc_test_webhook", { webhook_id: webhookId });
  for (const { slug, body } of calls) {
    await fetch(`${product.url}/api/${shop}/${slug}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  }
  return { shop, tools, wrapper, api, webhookId, endpointId, token, tokenId };
}

interface CreatedToken {
  readonly token: string;
  readonly id: number;
}

interface SeededShop extends CreatedToken {
  readonly endpointId: string;
}

async function seedShop(control: ControlPlaneClient, project: string): Promise<SeededShop> {
  const targets = [
    { provider: "mock", model: "mock-large", input_price_per_million: 3, output_price_per_million: 15, retries: 1 },
    { provider: "spare", model: "small" },
  ];
  const prompt = { system_prompt: "You answer questions about {{product}}.", streaming_enabled: true };
  const help = { project, slug: "help", targets, ...prompt, monthly_budget_usd: 5 };
  const { uuid: endpointId } = await control.call<{ uuid: string }>("svc_create_endpoint", help);
  await control.call("svc_create_endpoint", { project, slug: "summaries", targets: targets.slice(0, 1) });
  await control.call("svc_set_guardrails", { project, pii: { mode: "mask" }, findings: "excerpts" });
  const token = await control.call<CreatedToken>("svc_create_token", {
    project,
    name: "Shop front",
    scopes: ["chat"],
    rate_limit_per_minute: 60,
  });
  await control.call("svc_create_token", { project, name: "Nightly reports", scopes: ["chat", "mcp"] });
  return { ...token, endpointId };
}

interface Others {
  readonly wrapper: string;
  readonly api: string;
  readonly tools: string;
}

async function furnishOthers(control: ControlPlaneClient, { wrapper, api, tools }: Others, { upstreamUrl }: Outside) {
  const targets = [{ provider: "mock", model: "mock-small" }];
  await control.call("svc_create_endpoint", { project: wrapper, slug: "office", targets });
  const upstream = { slug: "forecast", upstream_url: "http://127.0.0.1:9/", allowed_methods: ["GET"] };
  await control.call("svc_create_endpoint", { project: api, ...upstream });
  const connection = { name: "Weather service", token_url: "http://127.0.0.1:9/token", grant: "client_credentials" };
  await control.call("svc_create_oauth_connection", {
    project: api,
    ...connection,
    client_id: "a",
    client_secret: "b",
  });
  await control.call("svc_create_upstream", { project: tools, prefix: "up", url: upstreamUrl });
}

const variables = { product: "shoes" };

/** Successful calls, one with personal data, a failed one, and a session. */
const calls = [
  ...Array.from({ length: 6 }, (_, index) => ({ slug: "help", body: { message: `Question ${index}`, variables } })),
  { slug: "summaries", body: { message: "Write to jane@example.com about it." } },
  { slug: "summaries", body: { message: "[[mock status=500]] fail" } },
  { slug: "help", body: { message: "No variables" } },
  { slug: "summaries", body: { message: "Hello", session_id: "6a3c8f0e-4f2f-4d6e-9a34-1f0e2b7c5d11" } },
] as const;
