import { afterAll, beforeAll, expect, test } from "vitest";
import { type Json, uniqueName } from "../../src/control-plane-client.ts";
import type { Fields } from "../../src/exchange.ts";
import { mcpServer, replyJson, ScriptedUpstream } from "../../src/scripted-upstream.ts";
import type { World } from "./world.ts";

const blockedBy = (name: string, side = "input") => `Request blocked: keyword '${name}' detected in ${side}.`;

/** Policies of MCP Gateways and API Gateways, as a client and an upstream meet them. */
export function describeGatewayGuardrails(world: () => World): void {
  let upstream: ScriptedUpstream;
  beforeAll(async () => {
    upstream = await ScriptedUpstream.start();
  });
  afterAll(async () => await upstream.stop());

  /** An MCP Gateway with one upstream of prefix `up`; returns a function that calls its tools. */
  async function mcpGateway(policy: Json) {
    const { project, token } = await world().newProject({ type: "mcp_gateway", scopes: ["mcp"] });
    await world().control.call("svc_create_upstream", { project, prefix: "up", url: `${upstream.url}/mcp` });
    await world().control.call("svc_set_guardrails", { project, surfaces: ["mcp"], ...policy });
    return async (name: string, given: unknown, result: Fields = { content: [] }): Promise<Fields> => {
      upstream.play(mcpServer({ tools: [{ name, inputSchema: { type: "object" } }], call: () => ({ result }) }));
      const params = { name: `up__${name}`, arguments: given };
      const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const reply = await world().ask(`/api/${project}/mcp`, { token, body });
      return (reply.body as { readonly result: Fields }).result;
    };
  }

  /** An API Gateway; returns a function that posts JSON to it. */
  async function apiGateway(policy: Json) {
    const { project, token } = await world().newProject({ type: "api_gateway", scopes: ["proxy"] });
    const slug = uniqueName("api");
    const endpoint = { project, slug, upstream_url: upstream.url, allowed_methods: ["POST"] };
    await world().control.call("svc_create_endpoint", endpoint);
    await world().control.call("svc_set_guardrails", { project, surfaces: ["api"], ...policy });
    return async (body: unknown, answer: unknown = {}) => {
      upstream.play(replyJson(200, answer));
      return await world().ask(`/api/${project}/${slug}`, { method: "POST", token, body });
    };
  }

  const refusal = (message: string) => ({ content: [{ type: "text", text: message }], isError: true });

  test("a pattern with a path matches arguments and results of an MCP Gateway's tools", async () => {
    const patterns = [
      { name: "to", tool: "up__send*", path: "$.to", pattern: "@evil" },
      { name: "ssn", path: "$..ssn" },
    ];
    const call = await mcpGateway({ patterns, apply_to_output: true });
    const evil = { to: "a@evil.example" };
    expect(await call("send_mail", evil)).toEqual(refusal(blockedBy("to")));
    expect(upstream.asked("tools/call")).toEqual([]);
    expect(await call("send_mail", { cc: "a@evil.example" })).toMatchObject({ isError: false });
    expect(await call("read_mail", evil)).toMatchObject({ isError: false });
    const found = { customer: { ssn: "1" } };
    const twice = { x: JSON.stringify({ y: JSON.stringify(found) }) };
    expect(await call("find", twice)).toEqual(refusal(blockedBy("ssn")));
    const structured = { content: [], structuredContent: found };
    expect(await call("find", {}, structured)).toEqual(refusal(blockedBy("ssn", "output")));
    const text = { content: [{ type: "text", text: JSON.stringify(found) }] };
    expect(await call("find", {}, text)).toEqual(refusal(blockedBy("ssn", "output")));
    expect(await call("find", {}, { content: [{ type: "text", text: "ssn" }] })).toMatchObject({ isError: false });
  });

  test("a pattern with a path matches JSON bodies and replies of an API Gateway", async () => {
    const patterns = [
      { name: "to", path: "$.mail.to", pattern: "@evil" },
      { name: "ssn", path: "$..ssn" },
    ];
    const post = await apiGateway({ patterns, apply_to_output: true });
    const refused = await post({ mail: { to: "a@evil.example" } });
    expect([refused.status, refused.body]).toMatchObject([422, { error: blockedBy("to") }]);
    expect(upstream.received).toEqual([]);
    expect((await post({ mail: { cc: "a@evil.example" } })).status).toBe(200);
    const twice = await post({ x: JSON.stringify({ y: JSON.stringify({ ssn: "1" }) }) });
    expect([twice.status, twice.body]).toMatchObject([422, { error: blockedBy("ssn") }]);
    const hidden = await post({}, [{ ssn: "1" }]);
    expect([hidden.status, hidden.body]).toMatchObject([422, { error: blockedBy("ssn", "output") }]);
  });

  test("reversible masks are restored where a gateway reads the reply, and plain elsewhere", async () => {
    const email = "ann.miller@example.com";
    const policy = { pii: { mode: "mask" }, reversible_masks: true };
    const answered = { content: [{ type: "text", text: "sent to [E-Mail 1], not to bob@example.com" }] };
    const call = await mcpGateway({ ...policy, apply_to_output: true });
    expect(await call("send", { to: email }, answered)).toMatchObject({
      content: [{ text: `sent to ${email}, not to [E-Mail]` }],
    });
    const sent = (label: string) => ({ name: "send", arguments: { to: `[${label}]` } });
    expect(upstream.asked("tools/call").at(-1)?.body["params"]).toMatchObject(sent("E-Mail 1"));
    await (
      await mcpGateway(policy)
    )("send", { to: email });
    expect(upstream.asked("tools/call").at(-1)?.body["params"]).toMatchObject(sent("E-Mail"));
    const post = await apiGateway({ ...policy, apply_to_output: true });
    expect((await post({ to: email }, { sent: ["[E-Mail 1]"] })).body).toEqual({ sent: [email] });
    expect(upstream.received.at(-1)?.body).toEqual({ to: "[E-Mail 1]" });
    await (
      await apiGateway(policy)
    )({ to: email });
    expect(upstream.received.at(-1)?.body).toEqual({ to: "[E-Mail]" });
  });
}
