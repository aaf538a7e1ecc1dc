import { answerJsonRpc, type JsonRpcReply, JsonText } from "@gatehouse/json-rpc";
import { textOf } from "@gatehouse/json-rpc/testing";
import { expect, test } from "vitest";
import { createMcpDispatcher, type McpToolCall, unknownTool } from "./mcp-dispatcher.ts";

const calls: McpToolCall[] = [];
const dispatch = createMcpDispatcher<undefined>({
  name: "Gatehouse",
  listTools: async () =>
    await Promise.resolve([{ name: "add", description: "Adds.", inputSchema: { type: "object" } }]),
  async callTool(call) {
    calls.push(call);
    if (call.name !== "add") throw unknownTool(call.name);
    return await Promise.resolve({ content: [{ type: "text", text: "3" }], isError: false });
  },
});

async function ask(method: string, params?: unknown): Promise<unknown> {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  const reply = await answerJsonRpc(body, { dispatch, context: undefined, onFailure: () => {} });
  const { result, error } = JSON.parse(textOf(reply) ?? "{}") as { result?: unknown; error?: unknown };
  return result ?? error;
}

const hello = {
  protocolVersion: "2024-11-05",
  capabilities: { tools: {} },
  serverInfo: { name: "Gatehouse", version: "0.1.0" },
};

test.each([
  undefined,
  {},
  [],
  { protocolVersion: "2026-07-28", capabilities: {}, clientInfo: {} },
  { protocolVersion: 1 },
])("initialize with params %j answers the same", async (params) => {
  expect(await ask("initialize", params)).toEqual(hello);
});

test.each(["ping", "notifications/initialized"])("%s with an id answers with an empty object", async (method) => {
  expect(await ask(method)).toEqual({});
});

test("tools/list returns all tools, for any cursor", async () => {
  const tools = [{ name: "add", description: "Adds.", inputSchema: { type: "object" } }];
  expect(await ask("tools/list", { cursor: "x" })).toEqual({ tools });
});

test("a call reaches its tool with its arguments", async () => {
  const params = { name: "add", arguments: { a: 1 }, _meta: { progressToken: 1 } };
  expect(await ask("tools/call", params)).toEqual({ content: [{ type: "text", text: "3" }], isError: false });
  expect(calls.at(-1)).toEqual({ name: "add", arguments: { a: 1 }, meta: { progressToken: 1 } });
});

test.each([{ name: "add" }, { name: "add", arguments: null }])("a call %j has empty arguments", async (params) => {
  await ask("tools/call", params);
  expect(calls.at(-1)?.arguments).toEqual({});
});

test.each([
  [undefined, "Missing required argument: name"],
  [[], "params must be object"],
  [{}, "Missing required argument: name"],
  [{ name: null }, "Missing required argument: name"],
  [{ name: 5 }, "name must be string"],
  [{ name: "add", arguments: [] }, "arguments must be object"],
  [{ name: "add", arguments: "a" }, "arguments must be object"],
  [{ name: "sub" }, "Unknown tool: sub"],
  [{ name: "" }, "Unknown tool: "],
  [{ name: "x".repeat(100_000) }, `Unknown tool: ${"x".repeat(200)}…`],
  [{ name: "😀".repeat(100_000) }, `Unknown tool: ${"😀".repeat(200)}…`],
])("a call with the params %j is refused", async (params, message) => {
  expect(await ask("tools/call", params)).toEqual({ code: -32602, message });
});

test.each(["server/discover", "resources/list", "logging/setLevel", "Ping", "tools/list ", "__proto__"])(
  "%s is an unknown method",
  async (method) => {
    expect(await ask(method)).toEqual({ code: -32601, message: `Method not found: ${method}` });
  },
);

test("a list of encoded JSON is sent unchanged, a large one in pieces, also in a batch", async () => {
  const text = `{"tools":[{"name":"ü${"x".repeat(70_000)}"}]}`;
  const server = {
    name: "s",
    listTools: async () => await Promise.resolve(new JsonText(text)),
    callTool: async () => await Promise.reject(new Error()),
  };
  const dispatch = createMcpDispatcher(server);
  const envelope = '{"jsonrpc":"2.0","id":"a","method":"tools/list"}';
  const options = { dispatch, context: undefined, onFailure: () => {} };
  const expected = `{"jsonrpc":"2.0","id":"a","result":${text}}`;
  const single = await answerJsonRpc(Buffer.from(envelope), options);
  expect(textOf(single)).toBe(expected);
  expect(piecesOf(single)).toBe(1);
  const batch = await answerJsonRpc(Buffer.from(`[${envelope},${envelope}]`), options);
  expect(textOf(batch)).toBe(`[${expected},${expected}]`);
  expect(piecesOf(batch)).toBe(2);
});

/** Number of results in a reply that are sent as the original bytes. */
function piecesOf({ body }: JsonRpcReply): number {
  return typeof body === "object" ? body.filter((piece) => Buffer.isBuffer(piece)).length : 0;
}
