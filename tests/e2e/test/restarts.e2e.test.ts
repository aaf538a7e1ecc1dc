import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { lapse } from "@gatehouse/async/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../src/chat-client.ts";
import { createProject } from "../src/control-plane-client.ts";
import { McpCaller } from "../src/mcp-caller.ts";
import { allowLoopback } from "../src/product-world.ts";
import { startServices } from "../src/product.ts";
import { answer } from "../src/scripted-provider.ts";
import { startSlowToolServer } from "../src/slow-tool-server.ts";
import { guard } from "./suite/guardrail-suite.ts";
import { createWorld, type World } from "./suite/world.ts";

/** Service processes are restarted under calls, beside another process of the same service where calls need it. */

let world: World;
beforeAll(async () => {
  world = await createWorld(async () => await startServices({ doubled: ["chat", "guardrail"], env: allowLoopback }));
});
afterAll(async () => await world.stop());

/** Interval between the starts of two calls. */
const paceMs = 20;
/** Indices in `product.processes`; the second chat and guardrail come last. */
const places = {
  controlPlane: 1,
  chat: 2,
  guardrail: 3,
  aggregator: 5,
  logbook: 8,
  secondChat: 9,
  secondGuardrail: 10,
};

/** Calls an endpoint at a steady rate while `act` runs and shortly after. @returns the number of each status or error */
async function callDuring(act: () => Promise<void>): Promise<Record<string, number>> {
  const limits = { rate_limit_per_minute: null, rate_limit_per_hour: null };
  const fixture = await guard(world, { keywords: ["falcon"] }, { limits });
  world.primary.play(answer("ok"));
  const statuses: Record<string, number> = {};
  const calls: Promise<void>[] = [];
  const over = new AbortController();
  const call = async () => {
    const sent = send(world.product, fixture.path, { token: fixture.token, body: { message: "dove" } });
    const status = await sent.then((reply) => String(reply.status), String);
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const pace = (async () => {
    while (!over.signal.aborted) {
      calls.push(call());
      await delay(paceMs);
    }
  })();
  try {
    await call();
    await act();
    await lapse(1_000, "calls go on after what was done");
  } finally {
    over.abort();
    await pace;
    await Promise.all(calls);
  }
  return statuses;
}

test.each([
  ["control plane", places.controlPlane],
  ["chat", places.chat],
  ["second chat", places.secondChat],
  ["guardrail", places.guardrail],
  ["second guardrail", places.secondGuardrail],
  ["logbook", places.logbook],
])(
  "no call fails while the %s is restarted",
  async (_name, at) => {
    const statuses = await callDuring(async () => await world.product.restart(at));
    expect(Object.keys(statuses)).toEqual(["200"]);
    expect(statuses["200"]).toBeGreaterThan(50);
  },
  60_000,
);

test("calls held by a killed chat are answered by another, which asks the provider again; one in a session is refused", async () => {
  const limits = { rate_limit_per_minute: null, rate_limit_per_hour: null };
  const fixture = await guard(world, { keywords: ["falcon"] }, { limits });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  world.primary.play(async (request, res) => {
    await released;
    await answer("ok")(request, res);
  });
  const callsEach = 10;
  const callAll = (toBody: () => object) =>
    Array.from({ length: callsEach }, async () => {
      return (await send(world.product, fixture.path, { token: fixture.token, body: toBody() })).status;
    });
  const plain = callAll(() => ({ message: "dove" }));
  const asked = () => world.primary.received.length;
  await expect.poll(asked, { timeout: 10_000 }).toBe(callsEach);
  const inSessions = callAll(() => ({ message: "dove", session_id: randomUUID() }));
  await expect.poll(asked, { timeout: 10_000 }).toBe(2 * callsEach);
  const before = asked();
  await world.product.restart(places.chat, "SIGKILL");
  await expect.poll(asked, { timeout: 10_000 }).toBeGreaterThan(before);
  release();
  expect(await Promise.all(plain)).toEqual(Array.from({ length: callsEach }, () => 200));
  expect(asked()).toBeLessThanOrEqual(before + callsEach);
  expect(new Set(await Promise.all(inSessions))).toEqual(new Set([200, 503]));
}, 60_000);

/** A project with one upstream, whose tool waits until released. */
async function gatewayProject() {
  const upstream = await startSlowToolServer();
  const fixture = await createProject(world.control, { type: "mcp_gateway", scopes: ["mcp"] });
  await world.control.call("svc_create_upstream", { project: fixture.project, prefix: "slow", url: upstream.url });
  const caller = new McpCaller(world.product, fixture);
  const call = async () =>
    await caller.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "slow__wait", arguments: {} } });
  await expect
    .poll(async () => JSON.stringify(await caller.ask("tools/list")), { timeout: 5_000 })
    .toContain("slow__wait");
  return { upstream, call, caller };
}

/** The router's refusal without a service process: plain, since the JSON-RPC message was not read. */
const refused = { ok: false, error: "A service of the gateway is not available." };

test("a tool call cut by its aggregator's end is refused and not repeated, and the next one is answered", async () => {
  const { upstream, call } = await gatewayProject();
  const cut = call();
  await expect.poll(() => upstream.calls, { timeout: 5_000 }).toBe(1);
  await world.product.restart(places.aggregator, "SIGKILL");
  const { status, headers, body } = await cut;
  expect([status, body]).toMatchObject([503, refused]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(upstream.calls).toBe(1);
  upstream.release();
  expect((await call()).body).toMatchObject({ result: { content: [{ text: "done" }] } });
  await upstream.stop();
}, 60_000);

test("a frozen aggregator delays its own calls within a bound, and no call of another service", async () => {
  const { upstream, call, caller } = await gatewayProject();
  upstream.release();
  expect((await call()).status).toBe(200);
  const aggregator = world.product.processes[places.aggregator]?.process;
  aggregator?.kill("SIGSTOP");
  try {
    const beganMs = performance.now();
    const statuses = await callDuring(async () => {
      const { status, body } = await caller.post({ jsonrpc: "2.0", id: 1, method: "tools/list" });
      expect(status).toBe(503);
      expect(body).toMatchObject(refused);
    });
    expect(performance.now() - beganMs).toBeLessThan(60_000);
    expect(Object.keys(statuses)).toEqual(["200"]);
  } finally {
    aggregator?.kill("SIGCONT");
  }
  await expect.poll(async () => (await call()).status, { timeout: 15_000 }).toBe(200);
  await upstream.stop();
}, 120_000);
