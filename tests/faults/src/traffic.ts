import { ControlPlaneClient, createProject, type Json, type Product, type ProjectFixture } from "@gatehouse/e2e";
import type { Tally } from "./tally.ts";
import { startUpstreams, type Upstreams } from "./upstreams.ts";

/** One kind of call, as a share of all. */
interface Kind {
  readonly name: string;
  readonly share: number;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly token: string;
  readonly body?: object;
  readonly isStream?: boolean;
}

export interface Traffic {
  readonly kinds: readonly Kind[];
  stop(): Promise<void>;
}

interface Projects {
  readonly chat: ProjectFixture;
  readonly api: ProjectFixture;
  readonly mcp: ProjectFixture;
}

/** Makes a project of each type without limits, and all that calls need. */
export async function prepareTraffic(product: Product): Promise<Traffic> {
  const upstreams = await startUpstreams();
  const projects = await createProjects(new ControlPlaneClient(product), upstreams);
  return { kinds: toKinds(projects, product.adminKey), stop: async () => await upstreams.stop() };
}

/** The one of chats has a guardrail policy. */
async function createProjects(control: ControlPlaneClient, { provider, server }: Upstreams): Promise<Projects> {
  const rates = { rate_limit_per_minute: null, rate_limit_per_hour: null };
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
  await control.call("svc_set_guardrails", { project: chat.project, keywords: ["falcon"] });
  const route = { project: api.project, slug: "api", upstream_url: server.url, allowed_methods: ["GET"] };
  await control.call("svc_create_endpoint", route);
  await control.call("svc_create_upstream", { project: mcp.project, prefix: "up", url: `${server.url}/mcp` });
  return { chat, api, mcp };
}

function toKinds({ chat, api, mcp }: Projects, adminKey: string): readonly Kind[] {
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
  return [
    post("chat", 0.55, { ...ask, body: { message: "dove" } }),
    { ...post("stream", 0.1, { ...ask, body: { message: "dove", stream: true } }), isStream: true },
    post("bridge", 0.1, bridge),
    post("mcp gateway", 0.1, gateway),
    { name: "api", share: 0.1, method: "GET", path: `/api/${api.project}/api`, token: api.token },
    post("control plane", 0.05, control),
  ];
}

/** Longest that one call may take. */
const callTimeoutMs = 20_000;

/** Sends one call of a kind; another router gets it where the first refuses the connection. */
export async function sendCall(kind: Kind, urls: readonly string[], tally: Tally): Promise<void> {
  const beganMs = performance.now();
  tally.calls += 1;
  if (kind.isStream === true) tally.streams += 1;
  let hasBegun = false;
  try {
    const reply = await fetchFirst(kind, urls);
    hasBegun = reply.status === 200;
    const text = await reply.text();
    const failure = failureOf(kind, reply.status, text);
    if (failure === "broken stream") {
      tally.brokenStreams += 1;
      if (text.includes('data: {"error"')) tally.toldStreams += 1;
    } else if (failure !== undefined) tally.fail(`${kind.name} ${failure}`);
  } catch (err) {
    if (kind.isStream === true && hasBegun) tally.brokenStreams += 1;
    else tally.fail(`${kind.name} ${codeOf(err)}`);
  }
  if (kind.isStream !== true) tally.took(performance.now() - beganMs);
}

async function fetchFirst({ path, method, token, body }: Kind, urls: readonly string[]): Promise<Response> {
  const first = Math.floor(Math.random() * urls.length);
  for (let attempt = 0; ; attempt += 1) {
    const url = urls[(first + attempt) % urls.length] ?? "";
    try {
      return await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        signal: AbortSignal.timeout(callTimeoutMs),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    } catch (err) {
      if (attempt + 1 >= urls.length || codeOf(err) !== "ECONNREFUSED") throw err;
    }
  }
}

function failureOf({ isStream }: Kind, status: number, text: string): string | undefined {
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
