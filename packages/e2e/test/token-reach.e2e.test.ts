import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exchange } from "../src/contract/exchange.ts";
import { mcpServer, ScriptedUpstream } from "../src/contract/scripted-upstream.ts";
import { ControlPlaneClient, createProject, type Json, type ProjectFixture } from "../src/control-plane-client.ts";
import { McpCaller } from "../src/mcp-caller.ts";
import { type Product, startServices, startStandalone } from "../src/product.ts";
import { ScriptedProvider } from "../src/scripted-provider.ts";

const env = { EGRESS_ALLOW: "127.0.0.0/8", TRUSTED_PROXIES: "127.0.0.0/8" };
/** The bound of the product on how long a change takes to be in force. */
const inForceWithinMs = 250;

describe.each([
  ["one process", async () => await startStandalone({ env })],
  ["services", async () => await startServices({ env })],
])("what a token may reach, as %s", (_name, start) => {
  let product: Product;
  let control: ControlPlaneClient;
  let provider: ScriptedProvider;
  let upstream: ScriptedUpstream;
  let model: string;

  beforeAll(async () => {
    product = await start();
    control = new ControlPlaneClient(product);
    provider = await ScriptedProvider.start();
    const tools = ["read", "write", "read_all"].map((name) => ({ name, inputSchema: { type: "object" } }));
    upstream = await ScriptedUpstream.start(
      mcpServer({ tools, call: ({ name }) => ({ result: { content: [{ type: "text", text: String(name) }] } }) }),
    );
    model = "reach-provider";
    await control.call("svc_create_provider", { name: model, kind: "openai-compatible", base_url: provider.baseUrl });
  });

  afterAll(async () => {
    await product.stop();
    await Promise.all([provider.stop(), upstream.stop()]);
  });

  async function projectWith(type: string, settings: Json): Promise<ProjectFixture> {
    const fixture = await createProject(control, { type, scopes: ["chat", "models", "mcp", "proxy"] });
    for (const slug of ["open", "closed"]) {
      await control.call("svc_create_endpoint", { project: fixture.project, slug, ...settings });
    }
    await narrow(fixture, { endpoints: ["open"] });
    return fixture;
  }

  const narrow = async ({ tokenId }: ProjectFixture, reach: Json) =>
    await control.call("svc_update_token", { token_id: tokenId, ...reach });

  const ask = async ({ project, token }: ProjectFixture, rest: string, options: Json = {}) =>
    await exchange(`${product.url}/api/${project}/${rest}`, { token, ...options });

  /** Of the tools that a caller is shown. */
  const namesOf = async (caller: McpCaller) => {
    const { result } = await caller.ask("tools/list");
    return (result as { readonly tools: readonly { readonly name: string }[] }).tools.map(({ name }) => name);
  };

  const notFound = { status: 404, body: { ok: false, error: "Endpoint 'closed' not found or inactive." } };
  const targets = () => [{ provider: model, model: "m" }];

  test("chat, both routes", async () => {
    const fixture = await projectWith("ai_gateway", { targets: targets() });
    const body = { message: "Hi" };
    expect((await ask(fixture, "open", { body })).status).toBe(200);
    expect(await ask(fixture, "closed", { body })).toMatchObject(notFound);
    expect((await ask(fixture, "chat/completions", { body: { ...body, endpoint: "open" } })).status).toBe(200);
    expect(await ask(fixture, "chat/completions", { body: { ...body, endpoint: "closed" } })).toMatchObject(notFound);
  });

  test("AI Wrapper: calls and the list of models", async () => {
    const fixture = await projectWith("ai_wrapper", { targets: targets() });
    const bodyFor = (alias: string) => ({ model: alias, messages: [{ role: "user", content: "Hi" }] });
    expect((await ask(fixture, "v1/chat/completions", { body: bodyFor("open") })).status).toBe(200);
    const refused = { status: 404, body: { error: "Endpoint 'closed' not found or inactive." } };
    expect(await ask(fixture, "v1/chat/completions", { body: bodyFor("closed") })).toMatchObject(refused);
    expect(await ask(fixture, "v1/embeddings", { body: { model: "closed", input: "Hi" } })).toMatchObject(refused);
    const models = await ask(fixture, "v1/models", { method: "GET" });
    expect(models.body["data"]).toMatchObject([{ id: "open" }]);
    expect((await ask(fixture, "v1/models/open", { method: "GET" })).status).toBe(200);
    expect(await ask(fixture, "v1/models/closed", { method: "GET" })).toMatchObject(refused);
  });

  test("MCP in Bridge mode: endpoints and tools, listed and called", async () => {
    const fixture = await projectWith("ai_gateway", { targets: targets(), expose_as_mcp_tool: true });
    const caller = new McpCaller(product, fixture);
    const refused = { error: { code: -32602, message: "Unknown tool: closed" } };
    expect(await namesOf(caller)).toEqual(["open"]);
    expect((await caller.callTool("open", { message: "Hi" })).result).toMatchObject({ isError: false });
    expect(await caller.callTool("closed", { message: "Hi" })).toEqual(refused);
    expect(await caller.callTool("closed", {})).toEqual(refused);
    await narrow(fixture, { endpoints: null, tools: ["op*"] });
    await expect.poll(async () => (await ask(fixture, "closed", { body: { message: "Hi" } })).status).toBe(200);
    expect(await namesOf(caller)).toEqual(["open"]);
    expect(await caller.callTool("closed", { message: "Hi" })).toEqual(refused);
  });

  test("MCP in Gateway mode: tools by their names with the prefix", async () => {
    const fixture = await createProject(control, { type: "mcp_gateway", scopes: ["mcp"] });
    await control.call("svc_create_upstream", { project: fixture.project, prefix: "up", url: `${upstream.url}/mcp` });
    const other = await control.call<{ token: string }>("svc_create_token", {
      project: fixture.project,
      name: "all",
      scopes: ["mcp"],
    });
    const caller = new McpCaller(product, fixture);
    const whole = new McpCaller(product, { project: fixture.project, token: other.token });
    await narrow(fixture, { tools: ["up__read*"] });
    expect(await namesOf(caller)).toEqual(["up__read", "up__read_all"]);
    expect(await namesOf(whole)).toEqual(["up__read", "up__write", "up__read_all"]);
    expect((await caller.callTool("up__read", {})).result).toMatchObject({ content: [{ text: "read" }] });
    const asked = upstream.asked("tools/call").length;
    expect(await caller.callTool("up__write", {})).toEqual({
      error: { code: -32602, message: "Unknown tool: up__write" },
    });
    expect(upstream.asked("tools/call")).toHaveLength(asked);
    await narrow(fixture, { tools: [] });
    await expect.poll(async () => await namesOf(caller)).toEqual([]);
    expect(await namesOf(whole)).toEqual(["up__read", "up__write", "up__read_all"]);
  });

  test("API Gateway", async () => {
    const upstream_url = `${upstream.url}/base`;
    const fixture = await projectWith("api_gateway", { upstream_url, allowed_methods: ["GET"] });
    expect((await ask(fixture, "open/x", { method: "GET" })).status).not.toBe(404);
    expect(await ask(fixture, "closed/x", { method: "GET" })).toMatchObject(notFound);
    expect(await ask(fixture, "closed", { method: "DELETE" })).toMatchObject(notFound);
  });

  test("a token of some networks is refused from others, by the client's address that a trusted proxy gives", async () => {
    const fixture = await projectWith("ai_gateway", { targets: targets() });
    await narrow(fixture, { networks: ["192.0.2.0/24"] });
    const from = async (address: string) =>
      await ask(fixture, "open", { body: { message: "Hi" }, headers: { "x-forwarded-for": address } });
    expect((await from("192.0.2.9")).status).toBe(200);
    expect(await from("192.0.2.9, 198.51.100.4")).toMatchObject({
      status: 403,
      body: {
        ok: false,
        error: "Token may not be used from this network.",
        detail: "The request came from 198.51.100.4, which the token's networks do not hold.",
      },
    });
  });

  test("a change is in force in time", async () => {
    const fixture = await projectWith("ai_gateway", { targets: targets() });
    const status = async () => (await ask(fixture, "open", { body: { message: "Hi" } })).status;
    for (const [reach, expected] of [
      [{ endpoints: ["closed"] }, 404],
      [{ endpoints: null }, 200],
      [{ networks: ["192.0.2.0/24"] }, 403],
    ] as const) {
      await narrow(fixture, reach);
      const changedAtMs = performance.now();
      await expect.poll(status, { interval: 5, timeout: inForceWithinMs * 4 }).toBe(expected);
      expect(performance.now() - changedAtMs).toBeLessThan(inForceWithinMs);
    }
  });
});
