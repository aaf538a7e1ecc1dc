import { randomUUID } from "node:crypto";
import { lapse } from "@gatehouse/async/testing";
import { type FreezablePostgres, startFreezablePostgres } from "@gatehouse/postgres/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ExchangeOptions } from "../src/exchange.ts";
import { type ProductWorld, type EndpointFixture, openProductWorld } from "../src/product-world.ts";
import { answer } from "../src/scripted-provider.ts";

/** The product answers within 2 s; the rest is a margin for a busy machine. */
const answeredWithinMs = 3_000;
/** The Control Plane's answers: while a connection of its pool does not answer, and once none can be opened. */
const isRefused = expect.stringMatching(/^The database (does not answer|is not available)\./) as string;
/** Longer than cached answers count as fresh. */
const frozenMs = 6_000;

let postgres: FreezablePostgres;
let world: ProductWorld;
beforeAll(async () => {
  postgres = await startFreezablePostgres();
  world = await openProductWorld({ DATABASE_URL: postgres.url });
});
afterAll(async () => {
  await postgres.thaw();
  await world.stop();
  await postgres.stop();
});

async function timed(path: string, options: ExchangeOptions) {
  const startedAt = performance.now();
  const { status, headers, body } = await world.ask(path, options);
  return { status, retryAfter: headers["retry-after"], body, ms: Math.round(performance.now() - startedAt) };
}

async function readyz() {
  const startedAt = performance.now();
  const reply = await fetch(`${world.product.operationsUrl}/readyz`);
  return { status: reply.status, retryAfter: reply.headers.get("retry-after"), ms: performance.now() - startedAt };
}

const unlimited = { rate_limit_per_minute: null, rate_limit_per_hour: null };

test(
  "calls that need a frozen Postgres are refused within 2 s, and other calls continue",
  { timeout: 120_000 },
  async () => {
    world.provider.play(answer("Hi"));
    const gateway = await world.project({ ...unlimited, scopes: ["chat", "mcp"] });
    const warm = await world.endpoint({ expose_as_mcp_tool: true }, gateway);
    const cold = await world.endpoint({}, gateway);
    const wrapper = await world.endpoint(
      {},
      await world.project({ ...unlimited, type: "ai_wrapper", scopes: ["models"] }),
    );
    const limited = await world.endpoint({}, await world.project({ rate_limit_per_minute: 1_000 }));
    const lastingProject = await world.project({
      rate_limit_per_minute: 1_000,
      on_ledger_unavailable: { allow_for_seconds: 60 },
      scopes: ["chat", "mcp"],
    });
    const lasting = await world.endpoint({ expose_as_mcp_tool: true, monthly_budget_usd: 1_000 }, lastingProject);
    const { token: unseen } = await world.token(gateway.project);
    const say = async (endpoint: EndpointFixture, more: object = {}, token = endpoint.token) =>
      await timed(endpoint.path, { token, body: { message: "Hello", ...more } });
    const list = async ({ project, token } = gateway) =>
      await timed(`/api/${project}/mcp`, {
        token,
        body: { jsonrpc: "2.0", id: 1, method: "tools/list" },
      });
    const models = async () =>
      await timed(`/api/${wrapper.project}/v1/models`, { method: "GET", token: wrapper.token });
    const known = randomUUID();
    for (const reply of [await say(lasting), await say(lasting), await list(lastingProject)])
      expect(reply.status).toBe(200);
    for (const reply of [await say(warm, { session_id: known }), await models(), await list()])
      expect(reply.status).toBe(200);

    await postgres.freeze();
    const refused = await Promise.all([
      say(warm, { session_id: known }),
      say(warm, { session_id: randomUUID() }),
      say(cold),
      say(limited),
      say(warm, {}, unseen),
      models(),
    ]);
    for (const reply of refused) {
      expect(reply).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^[1-9]/) as string });
      expect(reply.ms).toBeLessThan(answeredWithinMs);
    }
    const listed = await list();
    expect([listed.status, listed.body["result"]]).toEqual([
      200,
      { tools: [expect.objectContaining({ name: warm.slug })] },
    ]);
    expect(listed.ms).toBeLessThan(answeredWithinMs);

    // Cached answers become stale meanwhile, and are still used.
    await lapse(frozenMs, "settings in memory become stale");
    for (const reply of [await say(warm), await say(warm)]) {
      expect(reply.status).toBe(200);
      expect(reply.ms).toBeLessThan(answeredWithinMs);
    }
    // At most two waits: for stale settings, and for the ledger, where a call is the first to detect its outage.
    for (const reply of [await say(lasting), await say(lasting), await list(lastingProject)]) {
      expect(reply.status).toBe(200);
      expect(reply.ms).toBeLessThan(2 * answeredWithinMs);
    }
    for (const state of [await readyz(), await readyz()]) {
      expect(state).toMatchObject({ status: 503, retryAfter: "1" });
      expect(state.ms).toBeLessThan(answeredWithinMs);
    }

    await postgres.thaw();
    await expect.poll(async () => (await readyz()).status, { timeout: 20_000 }).toBe(200);
    const after = await Promise.all([say(warm, { session_id: known }), say(cold), say(limited), models()]);
    expect(after.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  },
);

test("operations of the Control Plane are refused within 2 s, and the state of the services is shown", async () => {
  const { project, uuid } = await world.endpoint();
  const manage = async (name: string, given: object, meta: object = {}) =>
    await timed("/control/mcp", {
      token: world.product.adminKey,
      body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given, _meta: meta } },
    });
  const token = { project, name: "frozen", scopes: ["chat"] };
  await lapse(frozenMs, "the router asks for the administrator again");
  await postgres.freeze();
  const managed = [
    await manage("svc_create_token", token),
    await manage("svc_list_projects", {}),
    await manage("svc_set_endpoint_active", { endpoint: uuid, is_active: true }),
    await manage("svc_query_gateway_log", {}),
    await manage("svc_create_token", token, { "gatehouse/idempotency-key": randomUUID() }),
  ];
  for (const reply of managed) {
    expect(reply).toMatchObject({ status: 200, body: { error: { code: -32603, message: isRefused } } });
    expect(reply.body).toMatchObject({ error: { data: { retry_after: 1 } } });
    expect(reply.ms).toBeLessThan(answeredWithinMs);
  }
  expect((await manage("svc_get_system", {})).body).toHaveProperty("result");
  await postgres.thaw();
  await expect
    .poll(async () => (await manage("svc_list_projects", {})).body, { timeout: 20_000 })
    .toHaveProperty("result");
}, 60_000);
