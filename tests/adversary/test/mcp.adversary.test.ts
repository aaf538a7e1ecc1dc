import { mcpServer, type UpstreamScript } from "@gatehouse/e2e";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mebibytes } from "../src/measure.ts";
import { encodings, flood, replyBytes, replyResult } from "../src/misbehaviour.ts";
import { type AdversaryWorld, openAdversaryWorld } from "../src/world.ts";

const mebibyte = 1024 * 1024;

let world: AdversaryWorld;
beforeAll(async () => {
  world = await openAdversaryWorld();
});
afterAll(async () => await world.stop());

interface McpGateway {
  readonly path: string;
  readonly token: string;
}

/** An MCP Gateway project with a scripted upstream `bad`. */
async function openMcpGateway(
  script: UpstreamScript,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<McpGateway> {
  world.upstream.play(script);
  const { project, token } = await world.project({ type: "mcp_gateway", scopes: ["mcp"] });
  await world.control.call("svc_create_upstream", {
    project,
    prefix: "bad",
    url: `${world.upstream.url}/mcp`,
    ...settings,
  });
  return { path: `/api/${project}/mcp`, token };
}

const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "bad__x", arguments: {} } };

async function expectHarmless(script: UpstreamScript, body: unknown, times = 1) {
  const cost = await world.meter.expectHarmless(async () => {
    const gateway = await openMcpGateway(script);
    const send = async () => await world.ask(gateway.path, { token: gateway.token, body });
    for (const { status } of await Promise.all(Array.from({ length: times }, send))) expect(status).toBe(200);
  });
  console.info(
    `${expect.getState().currentTestName ?? ""}: /healthz at most ${cost.stall.longestOwnMs.toFixed(0)} ms,`,
    `memory ${mebibytes(cost.residentGrowthBytes)}, CPU ${cost.cpuMs.toFixed(0)} ms`,
  );
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const nested = (levels: number) => `${"[".repeat(levels)}12345678901234567890${"]".repeat(levels)}`;
const properties = (count: number) =>
  Object.fromEntries(many(count, (key) => [`p${key}`, { type: "string", description: `p ${key}` }]));
const largeTool = (index: number) => ({
  name: `t${index}`,
  description: "d".repeat(500),
  inputSchema: { type: "object", properties: properties(55) },
});
const deepTool = (index: number) => ({
  name: `t${index}`,
  inputSchema: many(60, () => 0).reduce<object>((inner) => ({ type: "object", properties: { a: inner } }), {}),
});

test.each(encodings)("JSON 200,000 levels deep, in %s, ends its own exchange only", async (encoding) => {
  await expectHarmless(replyBytes(nested(200_000), { encoding }), list);
});

test.each([
  ["16 MiB of tools", many(5_000, largeTool)],
  ["100,000 tiny tools", many(100_000, (index) => ({ name: `t${index}` }))],
  ["10,000 deep schemas", many(10_000, deepTool)],
])("a list of %s harms no other caller", async (_name, tools) => {
  await expectHarmless(replyResult(`{"tools":${JSON.stringify(tools)}}`), list);
});

test.each([
  ["16 MiB of one string", `{"content":[{"type":"text","text":"${"x".repeat(15 * mebibyte)}"}]}`],
  ["15 MiB of small numbers", `{"content":[],"structuredContent":{"a":[${"0,".repeat(1_900_000)}1e5]}}`],
  ["15 MiB of keys", `{"content":[],"structuredContent":{${'"a":1,'.repeat(2_000_000)}"a":1e5}}`],
])("a result of %s harms no other caller", async (_name, result) => {
  await expectHarmless(replyResult(result), call);
});

test.each([
  ["one line", "data: x".repeat(9_000)],
  ["one event", "data: x\n".repeat(8_000)],
  ["tiny events", "data: 1\n\n".repeat(7_000)],
  ["comments", ":\n".repeat(30_000)],
  ["line ends", "\r".repeat(64_000)],
  ["requests of its own", 'data: {"jsonrpc":"2.0","id":"q","method":"sampling/createMessage"}\n\n'.repeat(900)],
])("an endless stream of %s harms no other caller", async (_name, piece) => {
  await expectHarmless(flood(piece, { bytesMax: 512 * mebibyte }), call);
});

test("a batch of a hundred lists of 1.5 MB harms no other caller", async () => {
  const script = mcpServer({ tools: many(500, largeTool) });
  await expectHarmless(
    script,
    many(100, (id) => ({ ...list, id })),
  );
});

/** A server of revision 2026-07-28 whose tool demands one argument in a header as well. */
const modernServer: UpstreamScript = ({ headers, body: { id, method } }, res) => {
  const isModern = headers["mcp-protocol-version"] === "2026-07-28";
  const inputSchema = { type: "object", properties: { last: { type: "string", "x-mcp-header": "Last" } } };
  const result =
    method === "tools/list"
      ? { tools: [{ name: "x", inputSchema }] }
      : { content: [{ type: "text", text: String(headers["mcp-param-last"]) }] };
  const refusal = { code: -32_022, message: "Unsupported protocol version" };
  res.writeHead(isModern ? 200 : 400, { "content-type": "application/json" });
  res.end(JSON.stringify({ jsonrpc: "2.0", id, ...(isModern ? { result } : { error: refusal }) }));
};
/** As many values as a body may have (an empty list counts as two), and as many bytes. */
const most = `"text":"${"x".repeat(3.4 * mebibyte)}","many":[${"[],".repeat(190_000)}0]`;

test("4 MB of arguments, one of which is repeated in a header, harm no other caller", async () => {
  const cost = await world.meter.expectHarmless(async () => {
    const { path, token } = await openMcpGateway(modernServer);
    await world.ask(path, { token, body: list });
    const given = `{${most},"last":"z"}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bad__x","arguments":${given}}}`;
    expect((await world.ask(path, { token, body })).text).toContain('"text":"z"');
  });
  console.info(`header of arguments: /healthz at most ${cost.stall.longestOwnMs.toFixed(0)} ms`);
});

test("4 MB of arguments over the MCP Bridge harm no other caller", async () => {
  const { project, token, slug } = await world.endpoint(
    { expose_as_mcp_tool: true },
    await world.project({ scopes: ["mcp"] }),
  );
  const given = `{"message":"Hello",${most}}`;
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${slug}","arguments":${given}}}`;
  const cost = await world.meter.expectHarmless(async () => {
    expect((await world.ask(`/api/${project}/mcp`, { token, body })).text).toContain('"isError":false');
  });
  console.info(`arguments over the Bridge: /healthz at most ${cost.stall.longestOwnMs.toFixed(0)} ms`);
});

test("a policy of an MCP Gateway project judges calls and results, and only judged bytes pass", async () => {
  const { path, token } = await openMcpGateway(
    mcpServer({
      tools: [{ name: "x" }],
      call: () => ({ result: { content: [{ type: "text", text: "Project Falcon" }] } }),
    }),
  );
  const [, , project = ""] = path.split("/");
  const set = async (policy: object) =>
    await world.control.call("svc_set_guardrails", { project, keywords: ["falcon"], pii: { mode: "mask" }, ...policy });
  const ask = async (given: string) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bad__x","arguments":${given}}}`;
    return (await world.ask(path, { token, body })).text;
  };
  // Without surfaces, it covers the traffic of its project's type.
  await set({});
  const blocked = "Request blocked: keyword 'falcon' detected in input.";
  for (const given of [
    '{"a":"falcon"}',
    '{"a":"falcon","a":"dove"}',
    '{"\\u0046alcon":1}',
    '{"b":[[{"c":"fal\\u0063on"}]]}',
  ]) {
    await expect.poll(async () => await ask(given)).toContain(blocked);
  }
  world.upstream.play(mcpServer({ tools: [{ name: "x" }] }));
  await ask('{"card":4111111111111111,"mail":"write to jane@corp.example","n":12345678901234567890}');
  const [request] = world.upstream.asked("tools/call");
  expect(request?.bytes.toString()).toContain(
    '"arguments":{"card":"[Credit card]","mail":"write to [E-Mail]","n":12345678901234567890}',
  );
  await set({ surfaces: ["mcp"], apply_to_output: true });
  world.upstream.play(
    mcpServer({ tools: [], call: () => ({ result: { content: [{ type: "text", text: "Project Falcon" }] } }) }),
  );
  await expect.poll(async () => await ask("{}")).toContain('"isError":true');
});
