import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json, ProjectFixture } from "../../src/control-plane-client.ts";
import { exchange } from "../../src/exchange.ts";
import { McpCaller } from "../../src/mcp-caller.ts";
import { mcpServer, ScriptedUpstream } from "../../src/scripted-upstream.ts";
import type { World } from "./world.ts";

/** Longest time until a change is in force. */
const inForceWithinMs = 250;

/**
 * Endpoints, tools and networks that a token may reach, and limits of the end users that its calls name. Trusts proxies of
 * loopback.
 */
export function describeTokenReach(world: () => World): void {
  let upstream: ScriptedUpstream;

  beforeAll(async () => {
    const tools = ["read", "write", "read_all"].map((name) => ({ name, inputSchema: { type: "object" } }));
    upstream = await ScriptedUpstream.start(
      mcpServer({ tools, call: ({ name }) => ({ result: { content: [{ type: "text", text: String(name) }] } }) }),
    );
  });

  afterAll(async () => {
    await upstream.stop();
  });

  async function projectWith(type: string, settings: Json): Promise<ProjectFixture> {
    const fixture = await world().newProject({ type, scopes: ["chat", "models", "mcp", "proxy"] });
    for (const slug of ["open", "closed"]) {
      await world().control.call("svc_create_endpoint", { project: fixture.project, slug, ...settings });
    }
    await narrow(fixture, { endpoints: ["open"] });
    return fixture;
  }

  const narrow = async ({ tokenId }: ProjectFixture, reach: Json) =>
    await world().control.call("svc_update_token", { token_id: tokenId, ...reach });

  const ask = async ({ project, token }: ProjectFixture, rest: string, options: Json = {}) =>
    await exchange(`${world().product.url}/api/${project}/${rest}`, { token, ...options });

  /** Names of the tools listed for a caller. */
  const namesOf = async (caller: McpCaller) => {
    const { result } = await caller.ask("tools/list");
    return (result as { readonly tools: readonly { readonly name: string }[] }).tools.map(({ name }) => name);
  };

  const notFound = { status: 404, body: { ok: false, error: "Endpoint 'closed' not found or inactive." } };
  const targets = () => [{ provider: world().primaryName, model: "m" }];

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
    const caller = new McpCaller(world().product, fixture);
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
    const fixture = await world().newProject({ type: "mcp_gateway", scopes: ["mcp"] });
    await world().control.call("svc_create_upstream", {
      project: fixture.project,
      prefix: "up",
      url: `${upstream.url}/mcp`,
    });
    const other = await world().control.call<{ token: string }>("svc_create_token", {
      project: fixture.project,
      name: "all",
      scopes: ["mcp"],
    });
    const caller = new McpCaller(world().product, fixture);
    const whole = new McpCaller(world().product, { project: fixture.project, token: other.token });
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
        detail:
          "The request came from 198.51.100.4, which is not in the token's networks. Ask an administrator to add it.",
      },
    });
  });

  describe("limits of each user that a token's calls name", () => {
    /** Users and expected statuses: a user's second call of a minute is refused. */
    const asked = async (fixture: ProjectFixture, rest: string, options: Json) => {
      await narrow(fixture, { user_rate_limit_per_minute: 1 });
      const as = async (user: string) =>
        (await ask(fixture, rest, { ...options, headers: { "x-gatehouse-user": user } })).status;
      await expect.poll(async () => [await as(crypto.randomUUID()), await as("ann")]).toContain(429);
      return [await as("bob"), await as("bob"), await as("cem")];
    };

    test("chat and API Gateway, by the header", async () => {
      const chat = await projectWith("ai_gateway", { targets: targets() });
      expect(await asked(chat, "open", { body: { message: "Hi" } })).toEqual([200, 429, 200]);
      const proxy = await projectWith("api_gateway", {
        upstream_url: `${upstream.url}/mcp`,
        allowed_methods: ["POST"],
      });
      expect(await asked(proxy, "open", { body: { jsonrpc: "2.0", id: 1, method: "ping" } })).toEqual([200, 429, 200]);
    });

    test("MCP in both modes, by the header", async () => {
      const bridge = await projectWith("ai_gateway", { targets: targets(), expose_as_mcp_tool: true });
      const gateway = await world().newProject({ type: "mcp_gateway", scopes: ["mcp"] });
      await world().control.call("svc_create_upstream", {
        project: gateway.project,
        prefix: "up",
        url: `${upstream.url}/mcp`,
      });
      for (const [fixture, tool] of [
        [bridge, "open"],
        [gateway, "up__read"],
      ] as const) {
        await narrow(fixture, { rate_limit_per_minute: null, user_rate_limit_per_minute: 1 });
        const params = { name: tool, arguments: { message: "Hi" } };
        const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
        const isRefused = async (user: string) =>
          (await ask(fixture, "mcp", { body, headers: { "x-gatehouse-user": user } })).text.includes(
            "Rate limit exceeded.",
          );
        await expect.poll(async () => await isRefused("ann")).toBe(true);
        expect([tool, await isRefused("bob"), await isRefused("bob"), await isRefused("cem")]).toEqual([
          tool,
          false,
          true,
          false,
        ]);
      }
    });

    test("AI Wrapper, by the body; a spent budget is the user's, and calls that name no user have one", async () => {
      const fixture = await projectWith("ai_wrapper", {
        targets: [{ ...targets()[0], input_price_per_million: 1_000_000 }],
      });
      await narrow(fixture, { user_monthly_budget_usd: 40 });
      // 19 tokens of the scripted provider at a dollar each.
      const as = async (user: Json) => {
        const messages = [{ role: "user", content: "Hi" }];
        const body = { model: "open", messages, max_completion_tokens: 1, ...user };
        const reply = await ask(fixture, "v1/chat/completions", { body });
        return [reply.status, reply.body["error"]];
      };
      await expect.poll(async () => (await as({ user: "ann" }))[0]).toBe(422);
      expect((await as({ user: "ann" }))[1]).toMatch(
        /^User monthly budget exhausted: ~\$\d+\.00 spent, budget \$40\.00\./,
      );
      expect((await as({ user: "bob" }))[0]).toBe(200);
      expect((await as({ safety_identifier: "cem" }))[0]).toBe(200);
      expect((await as({}))[0]).toBe(200);
      const users = async () => {
        const query = { project: fixture.project, group_by: "user" };
        const usage = await world().control.call<{ users: readonly { user: string }[] }>("svc_get_usage", query);
        return usage.users.map(({ user }) => user).toSorted();
      };
      await expect.poll(users, { timeout: 5_000 }).toEqual(["ann", "bob", "cem"]);
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
}
