import { randomUUID } from "node:crypto";
import { createRateLimits, type LedgerClient } from "@gatehouse/limits";
import { toPrincipalMessage } from "@gatehouse/principal";
import { AllowanceServiceDefinition, ChatServiceDefinition } from "@gatehouse/proto/chat-calls";
import { openRpcChannel, type RpcChannel, type RpcClient, type RpcServer, startRpcServer } from "@gatehouse/rpc";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { createTestTrust } from "@gatehouse/trust/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWrapper, type WrapperHarness } from "./wrapper-harness.ts";

/** The service over a real gRPC connection, as another process calls it. */
let harness: WrapperHarness;
let server: RpcServer;
let channel: RpcChannel;
let chat: RpcClient<typeof ChatServiceDefinition>;
let ledger: LedgerClient;

const trust = createTestTrust();
const completion = {
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "m-1",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello!" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
};

beforeAll(async () => {
  harness = await startWrapper();
  server = await startRpcServer({
    bindings: harness.bindings,
    trust: trust.of("chat"),
    log: createSilentTelemetry().log,
    address: "127.0.0.1:0",
  });
  const address = `127.0.0.1:${server.port}`;
  channel = openRpcChannel({ address, target: "chat", trust: trust.of("mcp-bridge"), timeoutMs: 10_000 });
  chat = channel.client(ChatServiceDefinition);
  ledger = channel.client(AllowanceServiceDefinition);
});

afterAll(async () => {
  channel.close();
  await server.stop(0);
  await harness.stop();
});

function call(slug: string, body: unknown = { message: "Hi" }) {
  const bodyJson = typeof body === "string" ? body : JSON.stringify(body);
  return { principal: toPrincipalMessage(harness.principal), requestId: "r1", slug, bodyJson };
}

test("a call is answered with the model's text and what it used", async () => {
  harness.play((res) => void res.end(JSON.stringify(completion)));
  const slug = await harness.alias({ expose_as_mcp_tool: true, system_prompt: "Be brief." });
  expect(await chat.complete(call(slug))).toEqual({
    id: "c1",
    model: "m-1",
    content: "Hello!",
    finishReason: "stop",
    promptTokens: 3,
    completionTokens: 2,
  });
  expect(harness.received.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    expect.objectContaining({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
    }),
  ]);
});

test("a request for a stream gets a complete answer", async () => {
  harness.play((res) => void res.end(JSON.stringify(completion)));
  const slug = await harness.alias({ expose_as_mcp_tool: true, streaming_enabled: true });
  expect((await chat.complete(call(slug, { message: "Hi", stream: true }))).content).toBe("Hello!");
});

test("a refusal keeps its code and the message of the chat routes", async () => {
  const slug = await harness.alias({
    expose_as_mcp_tool: true,
    provider: await harness.provider("mock"),
    input_schema: { type: "object", properties: { message: { type: "string", minLength: 3 } } },
    max_request_tokens: 50,
  });
  await expect(chat.complete(call(slug))).rejects.toMatchObject({
    code: "input_schema_failed",
    message: "Validation failed: /message must NOT have fewer than 3 characters",
  });
  await expect(chat.complete(call(slug, { message: "word ".repeat(100) }))).rejects.toMatchObject({
    code: "token_cap_exceeded",
    message: expect.stringMatching(
      /^Request exceeds endpoint per-request token limit: ~\d+ tokens estimated, cap is 50\.$/,
    ),
  });
  await expect(chat.complete(call(slug, "{"))).rejects.toMatchObject({ code: "malformed_body" });
  await expect(chat.complete(call(slug, {}))).rejects.toMatchObject({ code: "malformed_body" });
});

test("an endpoint that is unknown, inactive or not exposed as a tool is not found, though its chat route answers", async () => {
  const provider = await harness.provider("mock");
  const hidden = await harness.alias({ provider });
  expect((await harness.postTo(hidden, { message: "Hi" })).status).toBe(200);
  for (const slug of [hidden, "never-made", ""]) {
    await expect(chat.complete(call(slug))).rejects.toMatchObject({
      code: "endpoint_not_found",
      message: `Endpoint '${slug}' not found or inactive.`,
    });
  }
});

test("a provider's failure keeps its message", async () => {
  harness.play((res) => void res.writeHead(400).end(JSON.stringify({ error: { message: "no such model" } })));
  const slug = await harness.alias({ expose_as_mcp_tool: true });
  await expect(chat.complete(call(slug))).rejects.toMatchObject({
    code: "provider_failed",
    message: expect.stringContaining("Provider call failed: "),
  });
});

test("a call that is cancelled cancels the provider call", async () => {
  const asked = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  harness.play((res) => {
    res.on("close", () => gone.resolve());
    asked.resolve();
  });
  const slug = await harness.alias({ expose_as_mcp_tool: true });
  const abort = new AbortController();
  const reply = chat.complete(call(slug), { signal: abort.signal });
  const refused = expect(reply).rejects.toMatchObject({ code: "cancelled" });
  await asked.promise;
  abort.abort();
  await refused;
  await gone.promise;
});

test("lists the active endpoints of the project that are exposed, by slug, a change in the very next list", async () => {
  const projectUuid = randomUUID();
  const targets = [{ provider: await harness.provider("mock"), model: "m" }];
  const make = async (slug: string, definition: object) =>
    (
      await harness.admin.call<{ uuid: string }>("svc_create_endpoint", {
        project: projectUuid,
        slug,
        targets,
        ...definition,
      })
    ).uuid;
  const list = async () => (await chat.listTools({ projectUuid })).tools;
  expect(await list()).toEqual([]);
  const inputSchema = { type: "object", required: ["message"] };
  const zebra = await make("zebra", { expose_as_mcp_tool: true });
  await make("hidden", { expose_as_mcp_tool: false });
  await make("ant-2", { expose_as_mcp_tool: true, description: "Counts ants.", input_schema: inputSchema });
  await make("ant-10", { expose_as_mcp_tool: true, system_prompt: "In {{language}}, for {{name}}: {{language}}!" });
  expect(await list()).toEqual([
    { name: "ant-10", description: "", inputSchema: undefined, variables: ["language", "name"] },
    { name: "ant-2", description: "Counts ants.", inputSchema, variables: [] },
    { name: "zebra", description: "", inputSchema: undefined, variables: [] },
  ]);
  await harness.admin.call("svc_set_endpoint_active", { endpoint: zebra, is_active: false });
  expect((await list()).map(({ name }) => name)).toEqual(["ant-10", "ant-2"]);
});

test("leases requests to lessees of other services, who together admit no more than the limit", async () => {
  const { principal } = harness;
  const limited = { ...principal.project, uuid: randomUUID(), rateLimits: { perMinute: null, perHour: 40 } };
  const { log } = createSilentTelemetry();
  const lessees = [createRateLimits(ledger, log), createRateLimits(ledger, log)];
  const count = async (at: number) => await lessees[at % 2]?.count({ ...principal, project: limited }, undefined);
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, async (_, at) => await count(at)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(40);
  await expect(count(0)).rejects.toMatchObject({
    code: "rate_limited",
    message: "Rate limit exceeded.",
    details: { scope: "hour" },
    retryAfterSeconds: expect.any(Number) as number,
  });
});

test.each([
  ["no ask", []],
  ["an unknown window", [{ subject: `project:${randomUUID()}`, windowSeconds: 1, need: 1 }]],
  ["another subject", [{ subject: "x", windowSeconds: 60, need: 1 }]],
  ["a negative number", [{ subject: "token:1", windowSeconds: 60, returned: -1 }]],
  ["two asks for one window", [1, 2].map((need) => ({ subject: "token:1", windowSeconds: 60, need }))],
])("refuses a lease request with %s", async (_what, asks) => {
  await expect(ledger.lease({ asks })).rejects.toMatchObject({ code: "invalid_argument" });
});
