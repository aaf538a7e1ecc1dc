import { afterAll, beforeAll, expect, test } from "vitest";
import {
  callTool,
  newProject,
  ask,
  post,
  register,
  startAggregator,
  type TestAggregator,
  toolNames,
} from "./aggregator.ts";
import { bareHandler, echoTool, type FakeUpstream, startUpstream } from "./fake-upstream.ts";

let aggregator: TestAggregator;
let upstream: FakeUpstream;

beforeAll(async () => {
  aggregator = await startAggregator();
  upstream = await startUpstream(bareHandler());
});

afterAll(async () => {
  await aggregator.stop();
  await upstream.stop();
});

test("a bare upstream sees exactly one literal request for a call, with its bearer token and without the prefix", async () => {
  const project = newProject();
  await register(aggregator, project, { prefix: "one", url: upstream.url, bearerToken: "s3cret" });
  upstream.requests.length = 0;
  const params = { name: "one__echo", arguments: { a: [1, { b: null }] }, _meta: { trace: "x" } };
  const reply = await ask(aggregator, project, { method: "tools/call", params, id: "my id" });
  expect(reply).toEqual({
    jsonrpc: "2.0",
    id: "my id",
    result: { content: [{ type: "text", text: JSON.stringify({ ...params, name: "echo" }) }], isError: false },
  });
  expect(upstream.requests).toHaveLength(1);
  const [request] = upstream.requests;
  expect(request).toMatchObject({
    method: "POST",
    url: "/mcp",
    headers: { authorization: "Bearer s3cret", accept: "application/json, text/event-stream" },
    body: { jsonrpc: "2.0", id: "my id", method: "tools/call", params: { ...params, name: "echo" } },
  });
  expect(request?.headers).not.toHaveProperty("mcp-session-id");
  expect(request?.headers).not.toHaveProperty("mcp-protocol-version");
});

test.each(['"ü \\u0041"', "0", "-1", "1.5", "1e3", "123456789012345678901234567890"])(
  "a bare upstream gets the caller's own id %s, and its answer is matched by it",
  async (id) => {
    const project = newProject();
    await register(aggregator, project, { prefix: "one", url: upstream.url });
    upstream.requests.length = 0;
    const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"one__echo","arguments":{}}}`;
    const { text } = await post(aggregator, project, { body });
    expect(JSON.parse(text)).toMatchObject({ id: JSON.parse(id) as unknown, result: { isError: false } });
    expect(upstream.requests.map(({ body: sent }) => (sent as { id: unknown }).id)).toEqual([JSON.parse(id)]);
  },
);

test.each(["null", `"${"x".repeat(300)}"`])("an id that upstreams may refuse is replaced: %s", async (id) => {
  const project = newProject();
  await register(aggregator, project, { prefix: "one", url: upstream.url });
  upstream.requests.length = 0;
  const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"one__echo","arguments":{}}}`;
  const { text } = await post(aggregator, project, { body });
  expect(text.startsWith(`{"jsonrpc":"2.0","id":${id},"result":`)).toBe(true);
  expect(upstream.requests.map(({ body: sent }) => (sent as { id: unknown }).id)).toEqual([expect.any(Number)]);
});

test("the list has the tools of every upstream in the order of registration, with prefixes", async () => {
  const project = newProject();
  await register(aggregator, project, { prefix: "b", url: upstream.url });
  await register(aggregator, project, { prefix: "a", url: upstream.url });
  expect(await ask(aggregator, project, { method: "tools/list" })).toEqual({
    jsonrpc: "2.0",
    id: 1,
    result: {
      tools: ["b__echo", "a__echo"].map((name) => ({ ...echoTool(), name })),
    },
  });
});

test("the gateway describes itself, answers pings, and has no tools without upstreams", async () => {
  const project = newProject();
  expect((await ask(aggregator, project, { method: "initialize", params: {} })).result).toEqual({
    protocolVersion: "2024-11-05",
    capabilities: { tools: {} },
    serverInfo: { name: "Gatehouse MCP Gateway", version: "0.1.0" },
  });
  expect((await ask(aggregator, project, { method: "ping" })).result).toEqual({});
  expect(await toolNames(aggregator, project)).toEqual([]);
  expect((await ask(aggregator, project, { method: "server/discover" })).error).toMatchObject({ code: -32601 });
  const { status, text } = await post(aggregator, project, {
    body: '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  });
  expect({ status, text }).toEqual({ status: 204, text: "" });
});

test.each(["GET", "DELETE", "PUT"])("%s is answered with 405 and the method to use", async (method) => {
  const { status, headers, text } = await post(aggregator, newProject(), { method });
  expect({ status, allow: headers.get("allow"), ok: (JSON.parse(text) as { ok: unknown }).ok }).toEqual({
    status: 405,
    allow: "POST",
    ok: false,
  });
});

test.each(["echo", "other__echo", "__echo", "one__"])("an unknown tool %s causes no traffic", async (name) => {
  const project = newProject();
  await register(aggregator, project, { prefix: "one", url: upstream.url });
  upstream.requests.length = 0;
  expect((await callTool(aggregator, project, { name })).error).toEqual({
    code: -32602,
    message: `Unknown tool: ${name}`,
  });
  expect(upstream.requests).toHaveLength(0);
});
