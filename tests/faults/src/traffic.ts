import { ControlPlaneClient, createProject, type Json, type Product, type ProjectFixture } from "@gatehouse/e2e";
import { Proof, metered } from "./proof.ts";
import type { Tally } from "./tally.ts";
import { startUpstreams, type Upstreams } from "./upstreams.ts";

/** One kind of call, with its share of all. */
export interface Kind {
  readonly name: string;
  readonly share: number;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly token: string;
  /** Body of all calls, or a function that creates one for each. */
  readonly body?: object | (() => object);
  readonly isStream?: boolean;
  /** Statuses besides 200 that count as success. */
  readonly alsoFine?: readonly number[];
  /** Called with the reply to a successful call. */
  readonly onAnswer?: (text: string) => void;
}

export interface Traffic {
  readonly kinds: readonly Kind[];
  readonly proof: Proof;
  stop(): Promise<void>;
}

interface Projects {
  readonly chat: ProjectFixture;
  readonly api: ProjectFixture;
  readonly mcp: ProjectFixture;
}

/** Creates a project of each type with unreachable limits and a grace period for the ledger, and everything that calls need. */
export async function prepareTraffic(product: Product): Promise<Traffic> {
  const upstreams = await startUpstreams();
  const control = new ControlPlaneClient(product);
  const projects = await createProjects(control, upstreams);
  const proof = new Proof(control, { project: projects.chat.project, endpoint: meteredSlug });
  return { kinds: toKinds(projects, product.adminKey, proof), proof, stop: async () => await upstreams.stop() };
}

const meteredSlug = "metered";

/** The one of chats has a guardrail policy. */
async function createProjects(control: ControlPlaneClient, { provider, server }: Upstreams): Promise<Projects> {
  const rates = {
    rate_limit_per_minute: 1_000_000,
    rate_limit_per_hour: 10_000_000,
    on_ledger_unavailable: { allow_for_seconds: 120 },
  };
  const [chat, api, mcp] = [
    await createProject(control, { scopes: ["chat", "mcp"], ...rates }),
    await createProject(control, { type: "api_gateway", scopes: ["proxy"], ...rates }),
    await createProject(control, { type: "mcp_gateway", scopes: ["mcp"], ...rates }),
  ];
  await control.call("svc_create_provider", { name: "faults", kind: "openai-compatible", base_url: provider.baseUrl });
  await control.call("svc_create_endpoint", {
    project: chat.project,
    slug: "ask",
    targets: [{ provider: "faults", model: "m" }],
    expose_as_mcp_tool: true,
    streaming_enabled: true,
  });
  const price = (metered.callCost * 1e6) / 2;
  await control.call("svc_create_endpoint", {
    project: chat.project,
    slug: meteredSlug,
    targets: [{ provider: "faults", model: "m", input_price_per_million: price, output_price_per_million: price }],
    parameters: { max_tokens: 4 },
    monthly_budget_usd: metered.budget,
  });
  await control.call("svc_set_guardrails", { project: chat.project, keywords: ["falcon"] });
  const route = { project: api.project, slug: "api", upstream_url: server.url, allowed_methods: ["GET"] };
  await control.call("svc_create_endpoint", route);
  await control.call("svc_create_upstream", { project: mcp.project, prefix: "up", url: `${server.url}/mcp` });
  return { chat, api, mcp };
}

function toKinds({ chat, api, mcp }: Projects, adminKey: string, proof: Proof): readonly Kind[] {
  const post = (name: string, share: number, target: Json & { path: string; token: string }): Kind => {
    return { method: "POST", name, share, ...target };
  };
  const call = (name: string, args: object) => {
    return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
  };
  const ask = { path: `/api/${chat.project}/ask`, token: chat.token };
  const bridge = { path: `/api/${chat.project}/mcp`, token: chat.token, body: call("ask", { message: "dove" }) };
  const gateway = { path: `/api/${mcp.project}/mcp`, token: mcp.token, body: call("up__add", {}) };
  const control = { path: "/control/mcp", token: adminKey, body: call("svc_list_projects", {}) };
  const newToken = () => call("svc_create_token", { project: chat.project, name: "proof", scopes: ["chat"] });
  const change = { path: "/control/mcp", token: adminKey, body: newToken };
  const meter = { path: `/api/${chat.project}/${meteredSlug}`, token: chat.token, body: { message: "dove" } };
  return [
    // Refused once the budget is spent or reserved.
    { ...post("metered", 0.05, meter), alsoFine: [422, 429], onAnswer: () => proof.noteAnswer() },
    { ...post("change", 0.05, change), onAnswer: (text) => proof.noteToken(text) },
    post("chat", 0.45, { ...ask, body: { message: "dove" } }),
    { ...post("stream", 0.1, { ...ask, body: { message: "dove", stream: true } }), isStream: true },
    post("bridge", 0.1, bridge),
    post("mcp gateway", 0.1, gateway),
    { name: "api", share: 0.1, method: "GET", path: `/api/${api.project}/api`, token: api.token },
    post("control plane", 0.05, control),
  ];
}

/** Time-out of one call. */
const callTimeoutMs = 20_000;

/** Sends one call to the first of the URLs; the next one follows where the connection is refused. */
export async function sendCall(kind: Kind, urls: readonly string[], tally: Tally): Promise<void> {
  const beganMs = performance.now();
  const sentAt = new Date();
  const fail = (outcome: string, reply = "") =>
    tally.fail({ outcome: `${kind.name} ${outcome}`, sentAt, tookMs: performance.now() - beganMs, reply });
  tally.calls += 1;
  tally.inFlight += 1;
  if (kind.isStream === true) tally.streams += 1;
  let hasBegun = false;
  try {
    const reply = await fetchFirst(kind, urls);
    hasBegun = reply.status === 200;
    const text = await reply.text();
    const failure = failureOf(kind, reply.status, text);
    if (reply.status === 200 && failure === undefined) kind.onAnswer?.(text);
    if (failure === "broken stream") {
      tally.brokenStreams += 1;
      if (text.includes('data: {"error"')) tally.toldStreams += 1;
    } else if (failure !== undefined) fail(failure, text);
  } catch (err) {
    if (kind.isStream === true && hasBegun) tally.brokenStreams += 1;
    else fail(codeOf(err));
  }
  tally.inFlight -= 1;
  if (kind.isStream !== true) tally.took(performance.now() - beganMs);
}

async function fetchFirst({ path, method, token, body }: Kind, urls: readonly string[]): Promise<Response> {
  for (let attempt = 0; ; attempt += 1) {
    const url = urls[attempt] ?? "";
    try {
      return await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        signal: AbortSignal.timeout(callTimeoutMs),
        ...(body === undefined ? {} : { body: JSON.stringify(typeof body === "function" ? (body() as object) : body) }),
      });
    } catch (err) {
      if (attempt + 1 >= urls.length || codeOf(err) !== "ECONNREFUSED") throw err;
    }
  }
}

function failureOf({ isStream, alsoFine = [] }: Kind, status: number, text: string): string | undefined {
  if (alsoFine.includes(status)) return undefined;
  if (status !== 200) return String(status);
  if (isStream === true) return text.endsWith("data: [DONE]\n\n") ? undefined : "broken stream";
  return /^\{"jsonrpc":"2.0","id":\d+,"error"/.test(text) || /"error":\{"code":-3/.test(text)
    ? "JSON-RPC error"
    : undefined;
}

function codeOf(err: unknown): string {
  const cause = err instanceof Error && err.cause instanceof Error ? err.cause : err;
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") return cause.code;
  return cause instanceof Error ? cause.name : "unknown";
}
