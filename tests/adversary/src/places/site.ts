import {
  type Json,
  mcpServer,
  type Product,
  type ProjectFixture,
  type ScriptedUpstream,
  uniqueName,
  type UpstreamScript,
} from "@gatehouse/e2e";
import type { AdversaryWorld } from "../world.ts";

/** A project with the paths of its endpoints. */
export interface TargetProject extends ProjectFixture {
  readonly base: string;
}

/** Everything that the generator attacks, set up once. */
export interface Site {
  readonly product: Product;
  readonly chat: TargetProject;
  readonly wrapper: TargetProject;
  readonly mcp: TargetProject;
  readonly api: TargetProject;
  readonly adminKey: string;
  /** Upstream of places that attack by request; answers shortly to everything. */
  readonly upstream: ScriptedUpstream;
  /** Creates a chat endpoint or an alias with a scripted provider and no history of failures. */
  freshEndpoint(kind: "chat" | "wrapper", script: UpstreamScript, settings?: Json): Promise<FreshEndpoint>;
  /** Creates an MCP Gateway with one scripted upstream. */
  freshGateway(script: UpstreamScript): Promise<TargetProject>;
  call<T = Json>(operation: string, args: Json): Promise<T>;
}

export interface FreshEndpoint extends TargetProject {
  readonly slug: string;
  readonly uuid: string;
}

/** Detectors of every kind, so that each reads the text. */
export const everyGuard: Json = {
  pii: { mode: "mask" },
  prompt_injection: { mode: "block" },
  keywords: ["project falcon", "falconfalcon"],
  patterns: [{ name: "ticket", pattern: "(a+)+b", mode: "block" }],
};

/** Keywords of JSON Schema that compare items in pairs, or visit each item several times. */
export const costlySchema: Json = {
  type: "object",
  properties: {
    message: { type: "string", pattern: "^(?:(?:a+)+|[^!]*)$", format: "email" },
    list: { uniqueItems: true, maxItems: 10, items: { anyOf: [{ type: "string" }, { type: "number", minimum: 5 }] } },
    some: { contains: { const: "needle" } },
  },
  additionalProperties: { anyOf: [{ type: "object" }, { type: "array", uniqueItems: true }, { type: "string" }] },
};

const unlimited = { rate_limit_per_minute: null, rate_limit_per_hour: null };

/** A reply that is valid on every surface: a completion, embeddings, and a JSON-RPC result. */
const shortReply: UpstreamScript = (request, res) => {
  const message = { role: "assistant", content: "Short." };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  res.writeHead(200, { "content-type": "application/json" });
  if (request.path.endsWith("/embeddings"))
    res.end(
      JSON.stringify({
        object: "list",
        data: [{ object: "embedding", index: 0, embedding: [0.5] }],
        model: "m",
        usage,
      }),
    );
  else
    res.end(
      JSON.stringify({
        id: "c",
        object: "chat.completion",
        created: 1,
        model: "m",
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage,
      }),
    );
};

export async function openSite(world: AdversaryWorld): Promise<Site> {
  const { product, control, upstream } = world;
  const call: Site["call"] = async (operation, args) => await control.call(operation, args);
  const project = async (type: string, scopes: string[], route: string): Promise<TargetProject> => {
    const fixture = await world.project({ type, scopes, ...unlimited });
    return { ...fixture, base: `/api/${fixture.project}${route}` };
  };
  const site: Site = {
    product,
    adminKey: product.adminKey,
    upstream,
    call,
    chat: await project("ai_gateway", ["chat", "mcp"], ""),
    wrapper: await project("ai_wrapper", ["chat", "models"], "/v1"),
    mcp: await project("mcp_gateway", ["mcp"], "/mcp"),
    api: await project("api_gateway", ["proxy"], ""),
    async freshEndpoint(kind, script, settings = {}) {
      upstream.play(script);
      const provider = await addProvider(site, upstream);
      const slug = uniqueName("fresh");
      const uuid = await addEndpoint(site, site[kind], {
        slug,
        targets: [{ provider, model: "m" }],
        streaming_enabled: true,
        ...settings,
      });
      return { ...site[kind], slug, uuid };
    },
    async freshGateway(script) {
      upstream.play(script);
      const fixture = await project("mcp_gateway", ["mcp"], "/mcp");
      await call("svc_create_upstream", { project: fixture.project, prefix: "up", url: upstream.url });
      return fixture;
    },
  };
  await furnish(site);
  return site;
}

/** Creates the endpoints of the places: `plain`, and one for each component that may read a body. */
async function furnish(site: Site): Promise<void> {
  playShort(site);
  const provider = await addProvider(site, site.upstream);
  const priced = { provider, model: "m", input_price_per_million: 1, output_price_per_million: 1 };
  for (const project of [site.chat, site.wrapper]) {
    const make = async (settings: Json) =>
      await addEndpoint(site, project, { targets: [priced], streaming_enabled: true, ...settings });
    await make({ slug: "plain", expose_as_mcp_tool: true });
    await make({ slug: "capped", max_request_tokens: 1_000, monthly_budget_usd: 1_000_000 });
    const guarded = await make({ slug: "guarded" });
    await site.call("svc_set_guardrails", { endpoint: guarded, ...everyGuard });
    await make({ slug: "shaped", input_schema: costlySchema });
    await make({ slug: "prompted", system_prompt: "{{a}} {{b}} {{a}}" });
  }
  await site.call("svc_create_upstream", { project: site.mcp.project, prefix: "up", url: site.upstream.url });
  await addEndpoint(site, site.api, {
    slug: "open",
    upstream_url: `${site.upstream.url}/base`,
    allowed_methods: ["GET", "POST"],
  });
}

/** Makes the upstream answer shortly to everything, including MCP requests, and forget what it has received. */
export function playShort({ upstream }: Pick<Site, "upstream">): void {
  const tools = [{ name: "echo", description: "Echoes.", inputSchema: { type: "object" } }];
  const asMcp = mcpServer({ tools });
  upstream.play((request, res) => (request.path.startsWith("/v1/") ? shortReply(request, res) : asMcp(request, res)));
}

async function addProvider(site: Site, { url }: ScriptedUpstream): Promise<string> {
  const name = uniqueName("provider");
  await site.call("svc_create_provider", { name, kind: "openai-compatible", base_url: `${url}/v1` });
  return name;
}

async function addEndpoint(site: Site, { project }: TargetProject, settings: Json): Promise<string> {
  const { uuid } = await site.call<{ uuid: string }>("svc_create_endpoint", { project, ...settings });
  return uuid;
}
