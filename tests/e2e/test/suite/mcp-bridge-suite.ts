import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { createProject, type Json, type ProjectFixture, uniqueName } from "../../src/control-plane-client.ts";
import { McpCaller } from "../../src/mcp-caller.ts";
import { answer, fail, silence } from "../../src/scripted-provider.ts";
import type { World } from "./world.ts";

const told = (text: string) => ({ result: { content: [{ type: "text", text }], isError: true } });
const invalid = (message: string) => ({ error: { code: -32602, message } });

/** Tools of MCP Bridge, and the pipeline's answers to them. */
export function describeMcpBridge(world: () => World): void {
  let fixture: ProjectFixture;
  let mcp: McpCaller;
  beforeAll(async () => {
    fixture = await createProject(world().control, { scopes: ["mcp"] });
    mcp = new McpCaller(world().product, fixture);
  });

  /** Creates an endpoint of the project, by default exposed as a tool. */
  async function tool(settings: Json = {}, project = fixture.project) {
    const { control, primaryName } = world();
    const slug = uniqueName("tool");
    const { uuid } = await control.call<{ uuid: string }>("svc_create_endpoint", {
      project,
      slug,
      expose_as_mcp_tool: true,
      targets: [{ provider: primaryName, model: "m" }],
      ...settings,
    });
    return { slug, uuid };
  }

  async function bridge(limits: Json = {}) {
    const project = await createProject(world().control, { scopes: ["mcp"], ...limits });
    return { ...project, mcp: new McpCaller(world().product, project) };
  }

  test("lists the exposed endpoints by slug, each change in the very next list", async () => {
    const { control } = world();
    const { project, mcp: own } = await bridge();
    expect(await own.listTools()).toEqual([]);
    const second = await tool({ slug: "beta" }, project);
    await tool({ slug: "alpha", description: "Says alpha." }, project);
    await tool({ slug: "hidden", expose_as_mcp_tool: false }, project);
    const inputSchema = {
      type: "object",
      properties: { message: { type: "string", description: "User message." } },
      required: ["message"],
    };
    expect(await own.listTools()).toEqual([
      { name: "alpha", description: "Says alpha.", inputSchema },
      { name: "beta", description: "Sends a message to beta.", inputSchema },
    ]);
    await control.call("svc_set_endpoint_active", { endpoint: second.uuid, is_active: false });
    expect((await own.listTools()).map(({ name }) => name)).toEqual(["alpha"]);
    await control.call("svc_set_endpoint_active", { endpoint: second.uuid, is_active: true });
    await control.call("svc_update_endpoint", { endpoint: second.uuid, description: "Says beta." });
    expect((await own.listTools()).map(({ description }) => description)).toEqual(["Says alpha.", "Says beta."]);
  });

  test("a tool asks for the variables of its prompt, and a call fills them in", async () => {
    const { project, mcp: own } = await bridge();
    await tool({ slug: "poet", system_prompt: "In {{language}}, as {{name}}." }, project);
    const [poet] = await own.listTools();
    const text = { type: "string" };
    expect(poet?.inputSchema).toMatchObject({
      properties: {
        message: text,
        variables: { type: "object", properties: { language: text, name: text }, required: ["language", "name"] },
      },
      required: ["message", "variables"],
    });
    const variables = { language: "French", name: "Ann" };
    expect(await own.callTool("poet", { message: "Hello!", variables })).toMatchObject({ result: { isError: false } });
    expect(world().primary.received.at(-1)?.body.messages).toContainEqual({
      role: "system",
      content: "In French, as Ann.",
    });
  });

  test("a call runs the pipeline and answers with the model's text", async () => {
    const { slug } = await tool({ system_prompt: "You are brief." });
    world().primary.play(answer("Hello from the model."));
    expect(await mcp.callTool(slug, { message: "Hi" })).toEqual({
      result: { content: [{ type: "text", text: "Hello from the model." }], isError: false },
    });
    expect(world().primary.received[0]?.body.messages).toEqual([
      { role: "system", content: "You are brief." },
      { role: "user", content: "Hi" },
    ]);
  });

  test("a session continues over calls", async () => {
    const { slug } = await tool();
    const session_id = randomUUID();
    world().primary.play(answer("Noted."));
    await mcp.callTool(slug, { message: "I am Ann.", session_id });
    await mcp.callTool(slug, { message: "Who am I?", session_id });
    expect(world().primary.received[1]?.body.messages).toHaveLength(3);
  });

  test("a call with an unknown tool or without a message is -32602 and reaches no model", async () => {
    const { control } = world();
    const { slug, uuid } = await tool();
    const hidden = await tool({ expose_as_mcp_tool: false });
    world().primary.play(answer("never"));
    const cases: readonly (readonly [string, Json | undefined, string])[] = [
      ["nobody", { message: "Hi" }, "Unknown tool: nobody"],
      ["nobody", {}, "Unknown tool: nobody"],
      [hidden.slug, { message: "Hi" }, `Unknown tool: ${hidden.slug}`],
      [hidden.slug, undefined, `Unknown tool: ${hidden.slug}`],
      [slug, undefined, "Missing required argument: message"],
      [slug, {}, "Missing required argument: message"],
      [slug, { message: 1 }, "message must be string"],
      [slug, { message: null }, "message must be string"],
      [slug, { message: ["x"] }, "message must be string"],
      [slug, { message: {} }, "message must be string"],
    ];
    for (const [name, given, message] of cases) {
      expect([name, given, await mcp.callTool(name, given)]).toEqual([name, given, invalid(message)]);
    }
    await control.call("svc_set_endpoint_active", { endpoint: uuid, is_active: false });
    expect(await mcp.callTool(slug, { message: "Hi" })).toEqual(invalid(`Unknown tool: ${slug}`));
    expect(world().primary.received).toEqual([]);
  });

  test("a refusal of the pipeline is a result with the message of the chat routes", async () => {
    const { control } = world();
    world().primary.play(answer('{"n": 1}'));
    const own = await bridge();
    await control.call("svc_set_guardrails", { project: own.project, keywords: ["falcon"] });
    const guarded = await tool({}, own.project);
    const refusal = "Request blocked: keyword 'falcon' detected in input.";
    expect(await own.mcp.callTool(guarded.slug, { message: "A falcon" })).toEqual(told(refusal));

    const capped = await tool({ max_request_tokens: 5 });
    const cap = /^Request exceeds endpoint per-request token limit: ~\d+ tokens estimated, cap is 5\.$/;
    expect(await mcp.callTool(capped.slug, { message: "one two three four five six seven" })).toEqual(
      told(expect.stringMatching(cap) as string),
    );

    const spent = await tool({ monthly_budget_usd: 0 });
    expect(await mcp.callTool(spent.slug, { message: "Hi" })).toEqual(
      told("Endpoint monthly budget exhausted: ~$0.00 spent, budget $0.00. Resets at the start of next month."),
    );

    const schema = { type: "object", properties: { message: { minLength: 3 } } };
    const strict = await tool({ input_schema: schema });
    expect(await mcp.callTool(strict.slug, { message: "Hi" })).toEqual(
      told("Validation failed: /message must NOT have fewer than 3 characters"),
    );
    const shaped = await tool({ output_schema: { type: "object", properties: { n: { type: "string" } } } });
    expect(await mcp.callTool(shaped.slug, { message: "Hi" })).toEqual(told("Validation failed: /n must be string"));
  });

  test("the rate limit counts calls, and its refusal is a result for the model", async () => {
    const own = await bridge({ rate_limit_per_minute: 1 });
    const { slug } = await tool({}, own.project);
    world().primary.play(answer("ok"));
    for (let round = 0; round < 3; round += 1) await own.mcp.listTools();
    expect(await own.mcp.callTool(slug, { message: "Hi" })).toMatchObject({ result: { isError: false } });
    expect(await own.mcp.callTool(slug, { message: "Hi" })).toEqual(told("Rate limit exceeded."));
  });

  test("a failing or disabled provider is -32603 with its message", async () => {
    const { control, primary, anotherProvider } = world();
    const provider = await anotherProvider(primary);
    const { slug } = await tool({ targets: [{ provider, model: "m" }] });
    for (const status of [400, 500]) {
      world().primary.play(fail(status, "no such model"));
      expect(await mcp.callTool(slug, { message: "Hi" })).toMatchObject({
        error: { code: -32603, message: expect.stringMatching(/^Provider call failed: ./) as string },
      });
    }
    await control.call("svc_set_provider_enabled", { provider, enabled: false });
    expect(await mcp.callTool(slug, { message: "Hi" })).toMatchObject({
      error: { code: -32603, message: `Provider '${provider}' is disabled in this gateway.` },
    });
  });

  test("a client that leaves cancels the provider call", async () => {
    const { slug } = await tool();
    world().primary.play(silence);
    const abort = new AbortController();
    const reply = mcp.callTool(slug, { message: "Hi" }, abort.signal).catch(() => "left");
    await expect.poll(() => world().primary.received.length).toBe(1);
    abort.abort();
    expect(await reply).toBe("left");
    await world().primary.received[0]?.left;
  });

  test("pages of the gateway's own origin may call both MCP routes, and pages of others may not", async () => {
    const { product, control } = world();
    const gateway = await createProject(control, { type: "mcp_gateway", scopes: ["mcp"] });
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    for (const caller of [mcp, new McpCaller(product, gateway)]) {
      const own = await caller.post(ping, { headers: { origin: product.url } });
      expect([own.status, own.body]).toEqual([200, { jsonrpc: "2.0", id: 1, result: {} }]);
      const foreign = await caller.post(ping, { headers: { origin: "https://evil.example" } });
      expect([foreign.status, foreign.body]).toMatchObject([
        403,
        { ok: false, error: "Origin 'https://evil.example' is not allowed." },
      ]);
    }
  });
}
