import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { openDatabase } from "@gatehouse/database";
import { createInProcessTransport, type EventTransport } from "@gatehouse/events";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import type { TokenPrincipal } from "@gatehouse/principal";
import type { ChatAdminServiceDefinition, EndpointDefinition } from "@gatehouse/proto/chat";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { bindRpc, connectLocally, type RpcBinding, type RpcClient } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import { createSilentTelemetry, untraced } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createChatService } from "../src/app.ts";
import { loadConfig } from "../src/config.ts";

type Admin = RpcClient<typeof ChatAdminServiceDefinition>;

const projectUuid = randomUUID();
const principal: TokenPrincipal = {
  kind: "token",
  tokenId: 1,
  tokenName: "t",
  environment: "test",
  scopes: ["chat"],
  rateLimits: { perMinute: null, perHour: null },
  project: {
    id: 1,
    uuid: projectUuid,
    name: "p",
    projectType: "ai_gateway",
    rateLimits: { perMinute: null, perHour: null },
  },
};

const { log } = createSilentTelemetry();
let database: TestDatabase;
let services: {
  readonly service: Service;
  readonly admin: Admin;
  readonly server: Server;
  readonly events: EventTransport;
}[];

/** A guardrail service that has no policies. */
const noGuardrails = connectLocally(
  bindRpc(GuardrailServiceDefinition, {
    inspect: async () => await Promise.resolve({ policyAbsent: true }),
    inspectPiece: async ({ text }) => await Promise.resolve({ shown: text }),
  }),
);

/** One replica of the service, its HTTP face behind a server that stands in for the router. */
async function startReplica() {
  const process = loadConfig({
    DATABASE_URL: database.url,
    GATEHOUSE_INTERNAL_KEY: "k",
    GATEHOUSE_KEYRING: `k1:${Buffer.alloc(32, 1).toString("base64")}`,
  });
  const events = createInProcessTransport();
  const service = createChatService(process, {
    telemetry: createSilentTelemetry(),
    guardrail: noGuardrails,
    events,
  });
  await service.start();
  const server = createServer((req, res) => {
    const hop = untraced.start("test", { kind: "server" });
    void service.http?.(req, res, { requestId: "r", principal, ipAddress: "", hop });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const binding = service.rpc[0] as unknown as RpcBinding<typeof ChatAdminServiceDefinition>;
  return { service, admin: connectLocally(binding), server, events };
}

beforeAll(async () => {
  database = await createTestDatabase();
  services = await Promise.all([startReplica(), startReplica()]);
});

afterAll(async () => {
  for (const { service, server } of services) {
    server.close();
    await service.stop();
  }
  await database.drop();
});

function replica(index: number) {
  const found = services[index];
  if (found === undefined) throw new Error("no such replica");
  return found;
}

async function chat(index: number, slug: string, body: object = { message: "hi" }) {
  const { port } = replica(index).server.address() as AddressInfo;
  const reply = await fetch(`http://127.0.0.1:${port}/api/${projectUuid}/${slug}`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

let counter = 0;

async function makeEndpoint(definition: Partial<EndpointDefinition> = {}) {
  const { admin } = replica(0);
  const name = `mock-${++counter}`;
  await admin.createProvider({ name, kind: "mock" });
  const slug = `slug-${counter}`;
  const { endpoint } = await admin.createEndpoint({
    projectUuid,
    definition: { slug, targets: [{ provider: name, model: "m" }], ...definition },
  });
  return { uuid: endpoint?.uuid ?? "", slug, provider: name };
}

test("an endpoint on the mock provider answers", async () => {
  const { slug } = await makeEndpoint();
  const { status, body } = await chat(0, slug);
  expect(status).toBe(200);
  expect(body).toMatchObject({ ok: true, model: "m", finish_reason: "stop", meta: { request_id: "r" } });
});

test("a change made through one replica is in force on the other within 250 ms", async () => {
  const { slug, uuid, provider } = await makeEndpoint();
  expect((await chat(1, slug)).status).toBe(200);
  await replica(0).admin.setEndpointActive({ endpointUuid: uuid, isActive: false });
  await expect.poll(async () => (await chat(1, slug)).status, { timeout: 250, interval: 10 }).toBe(404);
  await replica(0).admin.setEndpointActive({ endpointUuid: uuid, isActive: true });
  await expect.poll(async () => (await chat(1, slug)).status, { timeout: 250, interval: 10 }).toBe(200);
  await replica(0).admin.setProviderEnabled({ provider, enabled: false });
  await expect.poll(async () => (await chat(1, slug)).status, { timeout: 250, interval: 10 }).toBe(503);
});

test("an unknown slug becomes known as soon as it is made", async () => {
  const { slug, provider } = await makeEndpoint();
  const next = `${slug}-later`;
  expect((await chat(0, next)).status).toBe(404);
  await replica(0).admin.createEndpoint({
    projectUuid,
    definition: { slug: next, targets: [{ provider, model: "m" }] },
  });
  expect((await chat(0, next)).status).toBe(200);
});

test("only the named fields of an update are taken over; an absent one is cleared", async () => {
  const { uuid } = await makeEndpoint({ systemPrompt: "Be kind.", description: "before", streamingEnabled: true });
  const { endpoint } = await replica(0).admin.updateEndpoint({
    endpointUuid: uuid,
    definition: { description: "after" },
    updateMask: ["description", "system_prompt"],
  });
  expect(endpoint?.definition).toMatchObject({ description: "after", streamingEnabled: true });
  expect(endpoint?.definition?.systemPrompt).toBeUndefined();
  expect(endpoint?.updatedAt?.getTime()).toBeGreaterThan(endpoint?.createdAt?.getTime() ?? Infinity);
});

test("names that are taken, and things that are not there, are refused by name", async () => {
  const { slug, provider } = await makeEndpoint();
  const { admin } = replica(0);
  const definition = { slug, targets: [{ provider, model: "m" }] };
  await expect(admin.createProvider({ name: provider, kind: "mock" })).rejects.toMatchObject({
    code: "already_exists",
  });
  await expect(admin.createEndpoint({ projectUuid, definition })).rejects.toMatchObject({ code: "already_exists" });
  await expect(
    admin.createEndpoint({ projectUuid, definition: { slug: "x", targets: [{ provider: "nobody", model: "m" }] } }),
  ).rejects.toMatchObject({ code: "invalid_argument", message: "Provider not found: nobody" });
  const uuid = randomUUID();
  await expect(admin.getEndpoint({ endpointUuid: uuid })).rejects.toMatchObject({
    code: "not_found",
    message: `Endpoint not found: ${uuid}`,
  });
  await expect(admin.deleteCredential({ credentialId: 999_999 })).rejects.toMatchObject({ code: "not_found" });
  await expect(admin.setProviderEnabled({ provider: "nobody" })).rejects.toMatchObject({ code: "not_found" });
});

test("a provider's key is stored sealed, and never shown again", async () => {
  const { admin } = replica(0);
  const key = "sk-a-long-key-of-a-test-1234";
  await admin.createProvider({ name: "sealed", kind: "openai" });
  const { credential } = await admin.createCredential({ provider: "sealed", name: "main", apiKey: key });
  expect(credential).toMatchObject({ provider: "sealed", name: "main", isActive: true, hint: "1234" });
  const { log } = createSilentTelemetry();
  const stored = openDatabase({ url: new Secret(database.url), schema: "chat", connectionsMax: 1, log });
  const { rows } = await stored.pool.query("SELECT * FROM credentials");
  await stored.close();
  const listed = await admin.listCredentials({ provider: "sealed" });
  for (const shown of [credential, rows, listed]) expect(JSON.stringify(shown)).not.toContain(key);
});

test("pages of a list meet each row once", async () => {
  const { provider } = await makeEndpoint();
  const { admin } = replica(0);
  const project = randomUUID();
  for (let index = 0; index < 5; index++) {
    await admin.createEndpoint({
      projectUuid: project,
      definition: { slug: `s${index}`, targets: [{ provider, model: "m" }] },
    });
  }
  const first = await admin.listEndpoints({ projectUuid: project, page: { limit: 3 } });
  const second = await admin.listEndpoints({ projectUuid: project, page: { limit: 3, cursor: first.nextCursor } });
  expect([...first.endpoints, ...second.endpoints].map(({ definition }) => definition?.slug)).toEqual(
    ["s0", "s1", "s2", "s3", "s4"], // prettier-ignore
  );
  expect(second.nextCursor).toBe("");
  await expect(admin.listEndpoints({ projectUuid: project, page: { limit: 201 } })).rejects.toMatchObject({
    code: "invalid_argument",
  });
});

test("a deleted project leaves nothing behind, and deleting it again is fine", async () => {
  const { slug } = await makeEndpoint();
  expect((await chat(0, slug)).status).toBe(200);
  await replica(0).admin.deleteProject({ projectUuid });
  await replica(0).admin.deleteProject({ projectUuid });
  expect((await chat(0, slug)).status).toBe(404);
});

test("a session goes with its token and with its endpoint", async () => {
  const { admin, events } = replica(0);
  const { slug, uuid } = await makeEndpoint();
  const session_id = randomUUID();
  const promptTokens = async () => {
    const { body } = await chat(0, slug, { message: "hi", session_id });
    return (body["usage"] as { readonly prompt_tokens: number }).prompt_tokens;
  };
  const first = await promptTokens();
  expect(await promptTokens()).toBeGreaterThan(first);
  const deleted = { event: "token.deleted", metadata: { token_id: principal.tokenId } };
  await events.publish("audit", [{ id: randomUUID(), body: JSON.stringify(deleted) }]);
  expect(await promptTokens()).toBe(first);
  await admin.deleteEndpoint({ endpointUuid: uuid });
  expect(await countSessions(uuid)).toBe(0);
});

async function countSessions(endpointUuid: string): Promise<number> {
  const open = openDatabase({ url: new Secret(database.url), schema: "chat", connectionsMax: 1, log });
  const { rowCount } = await open.pool.query("SELECT FROM chat.sessions WHERE endpoint_uuid = $1", [endpointUuid]);
  await open.close();
  return rowCount ?? -1;
}
