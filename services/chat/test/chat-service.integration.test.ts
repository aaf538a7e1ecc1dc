import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { openTestAdmin, type TestAdmin } from "@gatehouse/admin/testing";
import type { AuditEvent } from "@gatehouse/audit";
import { type Database, openDatabase } from "@gatehouse/database";
import { createInProcessTransport, type EventTransport } from "@gatehouse/events";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import type { TokenPrincipal } from "@gatehouse/principal";
import { AdminServiceDefinition } from "@gatehouse/proto/admin";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { bindRpc, connectLocally, type RpcBinding } from "@gatehouse/rpc";
import type { Service } from "@gatehouse/service";
import { createSilentTelemetry, untraced } from "@gatehouse/telemetry";
import { createTestTrust } from "@gatehouse/trust/testing";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createChatService } from "../src/app.ts";
import { loadConfig } from "../src/config.ts";

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
  readonly admin: TestAdmin;
  readonly server: Server;
  readonly events: EventTransport;
}[];

/** A guardrail service without policies. */
const noGuardrails = connectLocally(
  bindRpc(GuardrailServiceDefinition, {
    consult: async () => await Promise.resolve({}),
    inspect: async () => await Promise.resolve({ policyAbsent: true }),
    inspectPiece: async ({ text }) => await Promise.resolve({ shown: text }),
  }),
);

/** One replica, whose HTTP handler is behind a server that simulates the router. */
async function startReplica() {
  const process = loadConfig({
    HOST: "127.0.0.1",
    DATABASE_URL: database.url,
    ...createTestTrust().env("chat"),
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
    const span = untraced.start("test", { kind: "server" });
    void service.http?.(req, res, { requestId: "r", principal, ipAddress: "", span });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const binding = service.rpc.find(({ definition }) => definition === AdminServiceDefinition);
  const admin = openTestAdmin(binding as unknown as RpcBinding<typeof AdminServiceDefinition>);
  return { service, admin, server, events };
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

async function makeEndpoint(definition: object = {}) {
  const { admin } = replica(0);
  const provider = `mock-${++counter}`;
  await admin.call("svc_create_provider", { name: provider, kind: "mock" });
  const given = { project: projectUuid, slug: `slug-${counter}`, targets: [{ provider, model: "m" }], ...definition };
  const { uuid, slug } = await admin.call<{ uuid: string; slug: string }>("svc_create_endpoint", given);
  return { uuid, slug, provider };
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
  await replica(0).admin.call("svc_set_endpoint_active", { endpoint: uuid, is_active: false });
  await expect.poll(async () => (await chat(1, slug)).status, { timeout: 250, interval: 10 }).toBe(404);
  await replica(0).admin.call("svc_set_endpoint_active", { endpoint: uuid, is_active: true });
  await expect.poll(async () => (await chat(1, slug)).status, { timeout: 250, interval: 10 }).toBe(200);
  await replica(0).admin.call("svc_set_provider_enabled", { provider, enabled: false });
  await expect.poll(async () => (await chat(1, slug)).status, { timeout: 250, interval: 10 }).toBe(503);
});

test("an unknown slug is found as soon as its endpoint is created", async () => {
  const { slug, provider } = await makeEndpoint();
  const next = `${slug}-later`;
  expect((await chat(0, next)).status).toBe(404);
  const given = { project: projectUuid, slug: next, targets: [{ provider, model: "m" }] };
  await replica(0).admin.call("svc_create_endpoint", given);
  expect((await chat(0, next)).status).toBe(200);
});

test("a deleted project leaves only its accounts behind, and deleting it again succeeds", async () => {
  const { slug, uuid } = await makeEndpoint();
  const words = `words of ${uuid}`;
  expect((await chat(0, slug, { message: words, session_id: randomUUID() })).status).toBe(200);
  const traces = [projectUuid, uuid, words];
  expect(await tablesWith(traces)).toEqual(expect.arrayContaining(["endpoints", "session_messages", "sessions"]));
  await replica(0).admin.deleteProject(projectUuid);
  await replica(0).admin.deleteProject(projectUuid);
  for (const index of [0, 1])
    await expect.poll(async () => (await chat(index, slug)).status, { timeout: 250, interval: 10 }).toBe(404);
  expect((await tablesWith(traces)).filter((table) => !accounts.has(table))).toEqual([]);
});

/** Tables of what was spent, which outlives a project, and of events that wait to be sent. */
const accounts: ReadonlySet<string> = new Set([
  "allowance_windows",
  "audit_outbox",
  "budget_leases",
  "budget_ledgers",
  "usage_blocks",
  "usage_records",
  "usage_rows",
]);

/** Tables of the service with a row that has one of the texts in any column. */
async function tablesWith(texts: readonly string[]): Promise<string[]> {
  return await withPool(async (pool) => {
    const { rows } = await pool.query<{ readonly name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'chat' ORDER BY 1",
    );
    const isHit = async ({ name }: { readonly name: string }) => {
      const found = await pool.query(`SELECT FROM chat."${name}" AS held WHERE held::text ~ ANY ($1) LIMIT 1`, [texts]);
      return found.rowCount === 1;
    };
    const hits = await Promise.all(rows.map(isHit));
    return rows.filter((_, at) => hits[at]).map(({ name }) => name);
  });
}

test("a session is deleted with its token and with its endpoint", async () => {
  const { admin, events } = replica(0);
  const { slug, uuid } = await makeEndpoint();
  const session_id = randomUUID();
  const promptTokens = async () => {
    const { body } = await chat(0, slug, { message: "hi", session_id });
    return (body["usage"] as { readonly prompt_tokens: number }).prompt_tokens;
  };
  const first = await promptTokens();
  expect(await promptTokens()).toBeGreaterThan(first);
  const deleted: AuditEvent = {
    id: randomUUID(),
    event: "token.deleted",
    severity: "info",
    actor: "system",
    project: null,
    target: "app",
    metadata: { token_id: principal.tokenId },
    ipAddress: "",
    traceparent: "",
    occurredAt: new Date().toISOString(),
  };
  await events.publish("audit", [{ id: deleted.id, body: JSON.stringify(deleted) }]);
  expect(await promptTokens()).toBe(first);
  await admin.call("svc_delete_endpoint", { endpoint: uuid });
  expect(await countSessions(uuid)).toBe(0);
});

interface ShownSession {
  readonly id: number;
  readonly session_uuid: string;
  readonly message_count: number;
  readonly messages?: readonly object[];
}

test("sessions are listed by project, endpoint and token, page by page, and never with their texts", async () => {
  const { admin } = replica(0);
  const { slug, uuid } = await makeEndpoint();
  const ids = [randomUUID(), randomUUID(), randomUUID()];
  for (const session_id of ids) await chat(0, slug, { message: "a secret of mine", session_id });
  await chat(0, slug, { message: "hi" });
  const list = async (given: Readonly<Record<string, unknown>>) =>
    await admin.call<{ sessions: ShownSession[]; next_cursor: string | null }>("svc_list_sessions", given);
  const first = await list({ endpoint: uuid, limit: 2 });
  const rest = await list({ endpoint: uuid, limit: 2, cursor: first.next_cursor });
  const all = [...first.sessions, ...rest.sessions];
  expect(all.map(({ session_uuid }) => session_uuid)).toEqual(ids);
  expect(rest.next_cursor).toBeNull();
  const at = expect.stringMatching(/Z$/);
  const times = { created_at: at, last_used_at: at, expires_at: at };
  const owners = { project: projectUuid, endpoint: uuid, slug, token_id: principal.tokenId };
  expect(all[0]).toEqual({ id: expect.any(Number), session_uuid: ids[0], message_count: 2, ...owners, ...times });
  const mine = { endpoint: uuid, project: projectUuid, token_id: principal.tokenId };
  expect((await list(mine)).sessions).toEqual(all);
  expect((await list({ ...mine, token_id: 999 })).sessions).toEqual([]);
  expect((await list({ ...mine, project: randomUUID() })).sessions).toEqual([]);
  expect(JSON.stringify(all)).not.toContain("secret");
  await expect(list({ endpoint: randomUUID() })).rejects.toMatchObject({ code: "not_found" });
});

test("a session's texts are shown on request and deleted with it; its client starts a new one", async () => {
  const { admin } = replica(0);
  const { slug, uuid } = await makeEndpoint();
  const session_id = randomUUID();
  await chat(0, slug, { message: "my own words", session_id });
  const { sessions } = await admin.call<{ sessions: ShownSession[] }>("svc_list_sessions", { endpoint: uuid });
  const [session] = sessions;
  const named = { session_id: session?.id };
  expect(await admin.call("svc_get_session", named)).toEqual(session);
  expect((await admin.call<ShownSession>("svc_get_session", { ...named, include_messages: true })).messages).toEqual([
    { role: "user", content: "my own words" },
    { role: "assistant", content: expect.any(String) },
  ]);
  expect(await admin.call("svc_delete_session", named)).toEqual({ ...session, deleted: true });
  expect(await countSessions(uuid)).toBe(0);
  for (const gone of [session?.id, 0, 2 ** 40]) {
    const refused = admin.call("svc_delete_session", { session_id: gone });
    await expect(refused).rejects.toMatchObject({ code: "not_found", message: `Session not found: ${gone}` });
  }
  await chat(0, slug, { message: "once more", session_id });
  const after = await admin.call<{ sessions: ShownSession[] }>("svc_list_sessions", { endpoint: uuid });
  expect(after.sessions).toMatchObject([{ session_uuid: session_id, message_count: 2 }]);
});

async function countSessions(endpointUuid: string): Promise<number> {
  const { rowCount } = await withPool(
    async (pool) => await pool.query("SELECT FROM chat.sessions WHERE endpoint_uuid = $1", [endpointUuid]),
  );
  return rowCount ?? -1;
}

async function withPool<T>(work: (pool: Database["pool"]) => Promise<T>): Promise<T> {
  const open = openDatabase({ url: new Secret(database.url), schema: "chat", connectionsMax: 1, log });
  try {
    return await work(open.pool);
  } finally {
    await open.close();
  }
}
