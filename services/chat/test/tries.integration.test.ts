import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { openTestAdmin, type TestAdmin } from "@gatehouse/admin/testing";
import { createInProcessTransport } from "@gatehouse/events";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { AdminServiceDefinition } from "@gatehouse/proto/admin";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { bindRpc, connectLocally, type RpcBinding } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { createTestTrust } from "@gatehouse/trust/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createChatService } from "../src/app.ts";
import { loadConfig } from "../src/config.ts";

const project = randomUUID();
const key = "sk-the-key-of-the-test-1234567890";

/** The provider's next answer, and the requests that it received. */
let reply: { readonly status: number; readonly body: unknown };
const received: { readonly headers: IncomingHttpHeaders; readonly body: Record<string, unknown> }[] = [];

let database: TestDatabase;
let service: Service;
let admin: TestAdmin;
let provider: Server;
let credentialId: number;

beforeAll(async () => {
  provider = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      received.push({
        headers: req.headers,
        body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>,
      });
      res.writeHead(reply.status, { "content-type": "application/json" }).end(JSON.stringify(reply.body));
    });
  }).listen(0, "127.0.0.1");
  await once(provider, "listening");
  database = await createTestDatabase();
  const config = loadConfig({
    HOST: "127.0.0.1",
    DATABASE_URL: database.url,
    ...createTestTrust().env("chat"),
    GATEHOUSE_KEYRING: `k1:${Buffer.alloc(32, 1).toString("base64")}`,
  });
  const guardrail = connectLocally(
    bindRpc(GuardrailServiceDefinition, {
      consult: async () => await Promise.resolve({}),
      inspect: async () => await Promise.resolve({ policyAbsent: true }),
      inspectPiece: async ({ text }) => await Promise.resolve({ shown: text }),
    }),
  );
  const telemetry = createSilentTelemetry();
  service = createChatService(config, { telemetry, guardrail, events: createInProcessTransport() });
  await service.start();
  const binding = service.rpc.find(({ definition }) => definition === AdminServiceDefinition);
  admin = openTestAdmin(binding as unknown as RpcBinding<typeof AdminServiceDefinition>);
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
  await admin.call("svc_create_provider", { name: "there", kind: "openai-compatible", base_url: url });
  const created = await admin.call<{ id: number }>("svc_create_credential", {
    provider: "there",
    name: "main",
    api_key: key,
  });
  credentialId = created.id;
});

afterAll(async () => {
  await service.stop();
  await database.drop();
  provider.close();
});

beforeEach(() => {
  received.length = 0;
});

const completion = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
};

test("a credential is tested with one short call, also while it is inactive", async () => {
  await admin.call("svc_set_credential_active", { credential_id: credentialId, is_active: false });
  reply = { status: 200, body: completion };
  const verdict = await admin.call("svc_test_credential", { credential_id: credentialId, model: "m" });
  expect(verdict).toMatchObject({ ok: true, status: 200, provider: "there", model: "m" });
  expect(received).toHaveLength(1);
  expect(received[0]?.headers.authorization).toBe(`Bearer ${key}`);
  expect(received[0]?.body).toMatchObject({ model: "m", max_tokens: 16 });
});

test("a key that the provider refuses is reported as refused, without the key", async () => {
  reply = { status: 401, body: { error: { message: `Incorrect API key provided: ${key}` } } };
  const verdict = await admin.call("svc_test_credential", { credential_id: credentialId, model: "m" });
  expect(verdict).toMatchObject({ ok: false, status: 401, message: expect.stringMatching(/refuses the key/) });
  expect(JSON.stringify(verdict)).not.toContain(key);
});

test("the model is that of an endpoint, and required without one", async () => {
  reply = { status: 200, body: completion };
  const asked = { credential_id: credentialId };
  await expect(admin.call("svc_test_credential", asked)).rejects.toThrow(/Missing required argument: model/);
  const targets = [{ provider: "there", model: "of-the-endpoint" }];
  await admin.call("svc_create_endpoint", { project, slug: "one", targets });
  expect(await admin.call("svc_test_credential", asked)).toMatchObject({ ok: true, model: "of-the-endpoint" });
  await expect(admin.call("svc_test_credential", { credential_id: 9_999 })).rejects.toThrow("Credential not found");
});

test("a model's price and sizes are shown before it is a target", async () => {
  await admin.call("svc_create_provider", { name: "priced", kind: "openai" });
  const ask = async (provider: string, model: string) => await admin.call("svc_get_model_price", { provider, model });
  expect(await ask("priced", "gpt-4o-mini")).toEqual({
    provider: "priced",
    model: "gpt-4o-mini",
    input_price_per_million: 0.15,
    output_price_per_million: 0.6,
    context_tokens: 128_000,
    answer_tokens_max: 16_384,
  });
  await admin.call("svc_create_provider", { name: "caching", kind: "anthropic" });
  // Not the price of a prompt that is written to the provider's cache, 3.75.
  expect(await ask("caching", "claude-sonnet-4-5")).toMatchObject({
    input_price_per_million: 3,
    output_price_per_million: 15,
  });
  const unknown = { input_price_per_million: null, output_price_per_million: null };
  expect(await ask("there", "no-such-model")).toMatchObject({ ...unknown, context_tokens: null });
  await expect(ask("nowhere", "m")).rejects.toThrow("Provider not found: nowhere");
  await expect(ask("there", "")).rejects.toThrow("model must not be empty");
});

test("a prompt's tokens are counted before it is saved", async () => {
  expect(await admin.call("svc_count_tokens", { project, text: "Hello world" })).toEqual({ tokens: 2 });
});

test("a sample is checked against a schema that is not saved, as calls would be", async () => {
  const schema = { type: "object", required: ["city"], properties: { city: { type: "string" } } };
  const check = async (sample: string, tried: object = schema) =>
    await admin.call("svc_check_sample", { project, schema: tried, sample });
  expect(await check('{"city":"Bern"}')).toEqual({ violations: [] });
  expect(await check("{}")).toEqual({ violations: [expect.stringContaining("city")] });
  await expect(check("{")).rejects.toThrow("sample must be JSON");
  await expect(check("{}", { type: "nothing" })).rejects.toThrow(/^schema /);
});
