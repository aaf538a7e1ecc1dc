import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { GatewayError } from "@gatehouse/errors";
import { createInProcessTransport } from "@gatehouse/events";
import { createRecordingGatewayLog } from "@gatehouse/gateway-log/testing";
import { bindMemoryLedger, createMemoryLedger } from "@gatehouse/limits/testing";
import { freeListsPerMinute } from "@gatehouse/mcp";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import type { TokenPrincipal } from "@gatehouse/principal";
import {
  AllowanceServiceDefinition,
  ChatServiceDefinition,
  type CompleteRequest,
  type Tool,
} from "@gatehouse/proto/chat-calls";
import { bindRpc, openRpcChannel, type RpcChannel, type RpcServer, startRpcServer } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import { createSilentTelemetry, untraced } from "@gatehouse/telemetry";
import { createTestTrust } from "@gatehouse/trust/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { loadConfig } from "../src/config.ts";
import { createMcpBridgeService } from "../src/program.ts";

/** The bridge on a real database, with a scripted chat over real gRPC. */
const trust = createTestTrust();
const log = createSilentTelemetry().log;
const rateLimits = { perMinute: null, perHour: null };

const gatewayLog = createRecordingGatewayLog();

let database: TestDatabase;
let chatServer: RpcServer | undefined;
let chatAddress: string;
let channel: RpcChannel;
let service: Service;
let bridgeServer: Server;
let principal: TokenPrincipal;
let tools: readonly Tool[];
const ledger = createMemoryLedger();
let complete: (request: CompleteRequest, signal: AbortSignal) => Promise<string>;

beforeAll(async () => {
  database = await createTestDatabase();
  await startChat("127.0.0.1:0");
  channel = openRpcChannel({ address: chatAddress, target: "chat", trust: trust.of("mcp-bridge"), timeoutMs: 2_000 });
  service = await startBridge();
  bridgeServer = createServer((req, res) => {
    const span = untraced.start("test", { kind: "server", parent: req.headers["traceparent"] as string | undefined });
    void service.http?.(req, res, { requestId: "r1", principal, ipAddress: "192.0.2.1", span });
  });
  bridgeServer.listen(0, "127.0.0.1");
  await once(bridgeServer, "listening");
});

afterAll(async () => {
  bridgeServer.closeAllConnections();
  bridgeServer.close();
  await service.stop();
  channel.close();
  await chatServer?.stop(0);
  await database.drop();
});

beforeEach(() => {
  principal = tokenOf(randomUUID());
  tools = [{ name: "support", description: "Helps.", inputSchema: { type: "object" }, variables: [] }];
  complete = async () => await Promise.resolve("Hello!");
});

async function startBridge(): Promise<Service> {
  const config = loadConfig({
    HOST: "127.0.0.1",
    DATABASE_URL: database.url,
    ...trust.env("mcp-bridge"),
    SERVICE_NAME: "Test Gate",
  });
  const chat = channel.client(ChatServiceDefinition);
  const started = createMcpBridgeService(config, {
    telemetry: createSilentTelemetry(),
    events: createInProcessTransport(),
    chat,
    ledger: channel.client(AllowanceServiceDefinition),
    gatewayLog,
  });
  await started.start();
  return started;
}

async function startChat(address: string): Promise<void> {
  const binding = bindRpc(ChatServiceDefinition, {
    complete: async (request, { signal }) => ({ content: await complete(request, signal) }),
    listTools: async () => await Promise.resolve({ tools: [...tools] }),
  });
  chatServer = await startRpcServer({
    bindings: [binding, bindMemoryLedger(ledger)],
    trust: trust.of("chat"),
    log,
    address,
  });
  chatAddress = `127.0.0.1:${chatServer.port}`;
}

async function stopChat(): Promise<void> {
  await chatServer?.stop(0);
  chatServer = undefined;
}

function tokenOf(projectUuid: string): TokenPrincipal {
  const project = { id: 1, uuid: projectUuid, name: "p", projectType: "ai_gateway", rateLimits } as const;
  return { kind: "token", tokenId: 7, tokenName: "t", environment: "live", scopes: ["mcp"], rateLimits, project };
}

async function post(
  body: unknown,
  options: { readonly signal?: AbortSignal; readonly headers?: Readonly<Record<string, string>> } = {},
) {
  const { port } = bridgeServer.address() as AddressInfo;
  return await fetch(`http://127.0.0.1:${port}/api/u/mcp`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...options,
  });
}

async function ask(method: string, params: object = {}) {
  const reply = await post({ jsonrpc: "2.0", id: 1, method, params });
  return (await reply.json()) as { readonly result?: unknown; readonly error?: unknown };
}

const call = async (name: string, given: object) => await ask("tools/call", { name, arguments: given });

test("a tool's schema asks for the message, and for the variables of its prompt where there are any", async () => {
  const plain = { name: "plain", description: "Helps.", inputSchema: undefined, variables: [] };
  tools = [plain, { ...plain, name: "poet", variables: ["language", "__proto__"] }];
  const message = { type: "string", description: "User message." };
  const text = { type: "string" };
  const variables = {
    type: "object",
    description: "Values for the prompt of this tool.",
    properties: { language: text, ["__proto__"]: text },
    required: ["language", "__proto__"],
  };
  const schemas = [
    { type: "object", properties: { message }, required: ["message"] },
    { type: "object", properties: { message, variables }, required: ["message", "variables"] },
  ];
  const { result } = (await ask("tools/list")) as { result: { tools: { inputSchema: unknown }[] } };
  expect(result.tools.map(({ inputSchema }) => inputSchema)).toEqual(schemas);
});

test("chat gets the caller, its address, the request id and the trace", async () => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const seen: CompleteRequest[] = [];
  complete = async (request) => {
    seen.push(request);
    return await Promise.resolve("ok");
  };
  const params = { name: "support", arguments: { message: "Hi", session_id: "s" } };
  await post({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, { headers: { traceparent } });
  expect(seen).toMatchObject([
    {
      requestId: "r1",
      traceparent,
      ipAddress: "192.0.2.1",
      slug: "support",
      principal: { tokenId: 7, scopes: ["mcp"] },
    },
  ]);
  expect(JSON.parse(seen[0]?.bodyJson ?? "")).toEqual({ message: "Hi", session_id: "s" });
});

test("the configured service name is in serverInfo", async () => {
  expect(await ask("initialize")).toMatchObject({ result: { serverInfo: { name: "Test Gate" } } });
});

test("the last known tools are listed while chat is away, also by a bridge that starts then; calls are -32603", async () => {
  const listed = await ask("tools/list");
  expect(listed).toMatchObject({ result: { tools: [{ name: "support" }] } });
  await service.stop();
  await stopChat();
  service = await startBridge();
  expect(await ask("tools/list")).toEqual(listed);
  expect(await call("support", { message: "Hi" })).toMatchObject({
    error: { code: -32603, message: "A service of the gateway is not available." },
  });
  expect(await call("support", {})).toMatchObject({ error: { message: "Missing required argument: message" } });
  expect(await call("other", {})).toMatchObject({ error: { message: "Unknown tool: other" } });
  principal = tokenOf(randomUUID());
  expect(await ask("tools/list")).toMatchObject({ error: { code: -32603 } });
  await startChat(chatAddress);
  await expect.poll(async () => await ask("tools/list"), { timeout: 5_000 }).toEqual(listed);
});

test("a client that leaves cancels the call at chat", async () => {
  const asked = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  complete = async (_request, signal) => {
    signal.addEventListener("abort", () => cancelled.resolve());
    asked.resolve();
    return await new Promise<string>(() => {});
  };
  const abort = new AbortController();
  const params = { name: "support", arguments: { message: "Hi" } };
  const reply = post({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, { signal: abort.signal });
  const left = expect(reply).rejects.toThrow("aborted");
  await asked.promise;
  abort.abort();
  await left;
  await cancelled.promise;
});

test("a request that was answered in a batch is logged as 499 if its client leaves before the reply", async () => {
  const asked = Promise.withResolvers<void>();
  complete = async () => {
    asked.resolve();
    return await new Promise<string>(() => {});
  };
  const before = gatewayLog.entries.length;
  const abort = new AbortController();
  const params = { name: "support", arguments: { message: "Hi" } };
  const batch = [
    { jsonrpc: "2.0", id: 1, method: "ping" },
    { jsonrpc: "2.0", id: 2, method: "tools/call", params },
  ];
  const left = expect(post(batch, { signal: abort.signal })).rejects.toThrow("aborted");
  await asked.promise;
  abort.abort();
  await left;
  // Chat records the call.
  const entries = () => gatewayLog.entries.slice(before);
  await expect.poll(entries).toMatchObject([{ status: 499, errorCode: "cancelled", details: { method: "ping" } }]);
});

test("a call cancelled by a notification of its client is cancelled at chat", async () => {
  const asked = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  complete = async (_request, signal) => {
    signal.addEventListener("abort", () => cancelled.resolve());
    asked.resolve();
    return await new Promise<string>(() => {});
  };
  const params = { name: "support", arguments: { message: "Hi" } };
  const reply = post({ jsonrpc: "2.0", id: "call-1", method: "tools/call", params });
  await asked.promise;
  const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "call-1" } };
  expect((await post(cancel)).status).toBe(204);
  await cancelled.promise;
  expect(await (await reply).json()).toMatchObject({ id: "call-1", error: { code: -32603 } });
});

test("an unexpected failure at chat is returned without its cause", async () => {
  complete = async () => await Promise.reject(new Error("a secret"));
  const reply = await call("support", { message: "Hi" });
  expect(reply).toEqual({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "Unexpected error." } });
});

test("a refusal keeps its message between services", async () => {
  complete = async () =>
    await Promise.reject(new GatewayError("rate_limited", "Rate limit exceeded.", { retryAfterSeconds: 3 }));
  const content = [{ type: "text", text: "Rate limit exceeded." }];
  expect(await call("support", { message: "Hi" })).toMatchObject({ result: { content, isError: true } });
});

test("the gateway log has exactly the requests that chat does not record", async () => {
  const written = async (body: unknown) => {
    const before = gatewayLog.entries.length;
    await (await post(body)).text();
    return gatewayLog.entries.slice(before);
  };
  const request = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });
  const toolCall = (given: object) => request("tools/call", { name: "support", arguments: given });
  const { uuid } = principal.project;
  expect(await written(request("tools/list"))).toMatchObject([
    {
      requestId: "r1",
      projectUuid: uuid,
      tokenId: 7,
      route: "mcp_bridge",
      status: 200,
      details: { method: "tools/list" },
    },
  ]);
  expect(await written(request("nope"))).toMatchObject([{ error: "Method not found: nope" }]);
  expect(await written([request("ping"), {}, request("initialize")])).toHaveLength(3);
  expect(await written("{")).toMatchObject([{ status: 400, error: expect.stringContaining("Parse error") as string }]);
  expect(await written(toolCall({}))).toMatchObject([
    { error: "Missing required argument: message", details: { method: "tools/call", tool: "support" } },
  ]);
  expect(await written(toolCall({ message: "Hi" }))).toEqual([]);
  complete = async () => await Promise.reject(new GatewayError("guardrail_blocked", "Blocked."));
  expect(await written(toolCall({ message: "Hi" }))).toEqual([]);
  complete = async () => await Promise.reject(new GatewayError("unavailable", "Away."));
  expect(await written(toolCall({ message: "Hi" }))).toMatchObject([{ error: "Away." }]);
});

test.each([
  [undefined, "Missing required argument: name"],
  [null, "Missing required argument: name"],
  [{}, "Missing required argument: name"],
  [[], "params must be object"],
  [["support"], "params must be object"],
  [{ name: 5 }, "name must be string"],
  [{ name: null }, "Missing required argument: name"],
  [{ name: "support", arguments: "Hi" }, "arguments must be object"],
  [{ name: "support", arguments: [] }, "arguments must be object"],
  [{ name: "nobody" }, "Unknown tool: nobody"],
])("a call with the params %j has one entry, with its error", async (params, error) => {
  const before = gatewayLog.entries.length;
  await (await post({ jsonrpc: "2.0", id: 1, method: "tools/call", params })).text();
  const details = expect.objectContaining({ method: "tools/call", code: "invalid_argument" }) as object;
  expect(gatewayLog.entries.slice(before)).toMatchObject([{ error, errorCode: "invalid_argument", details }]);
});

test.each([
  ["{", 400, "malformed_body"],
  [[], 200, "malformed_body"],
  [{ jsonrpc: "2.0", id: 1 }, 200, "malformed_body"],
  ['{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 200, "malformed_body"],
  [{ jsonrpc: "2.0", id: 1, method: "nope" }, 200, "unknown_method"],
])("the entry of %j has the status %i and the code %s", async (body, status, code) => {
  const before = gatewayLog.entries.length;
  await (await post(body)).text();
  const error = expect.any(String) as string;
  const details = expect.objectContaining({ code }) as object;
  expect(gatewayLog.entries.slice(before)).toMatchObject([{ status, error, errorCode: code, details }]);
});

test("notifications alone have no entry", async () => {
  const before = gatewayLog.entries.length;
  await post({ jsonrpc: "2.0", method: "notifications/initialized" });
  await post([{ jsonrpc: "2.0", method: "a" }]);
  expect(gatewayLog.entries).toHaveLength(before);
});

test("a body too large is 413", async () => {
  const large = await post("x".repeat(5 * 1024 * 1024));
  expect([large.status, await large.json()]).toMatchObject([413, { ok: false }]);
});

test("a number of lists per minute is free, and further ones count against the limits", async () => {
  const limited = { perMinute: null, perHour: 1 };
  principal = { ...principal, tokenId: 4_711, rateLimits: limited };
  const answers: unknown[] = [];
  for (let count = 0; count < 2 * freeListsPerMinute + 1; count += 1) answers.push((await ask("tools/list")).error);
  const refused = {
    code: -32602,
    message: "Rate limit exceeded.",
    data: { scope: "hour", retry_after: expect.any(Number) as unknown },
  };
  expect(answers[freeListsPerMinute - 1]).toBeUndefined();
  expect(answers).toContainEqual(refused);
  expect(ledger.renewals).toBeGreaterThan(0);
});
