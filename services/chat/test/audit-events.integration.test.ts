import type { AuditEvent } from "@gatehouse/audit";
import { createInProcessTransport } from "@gatehouse/events";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { bindRpc, connectLocally } from "@gatehouse/rpc";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { startWrapper, type WrapperHarness } from "./wrapper-harness.ts";

const blockedWord = "falcon-7";

/** A guardrail service that blocks one word. */
const blocking = connectLocally(
  bindRpc(GuardrailServiceDefinition, {
    consult: async () => await Promise.resolve({}),
    inspectPiece: async ({ text }) => await Promise.resolve({ shown: text }),
    async inspect({ texts }) {
      const blocked = texts.some(({ text }) => text.includes(blockedWord));
      const answer = { blocked, reason: "keyword", message: "Request blocked: keyword 'falcon-7'." };
      return await Promise.resolve(blocked ? answer : { policyAbsent: true });
    },
  }),
);

const told: AuditEvent[] = [];
let chat: WrapperHarness;
let project: { readonly id: number; readonly uuid: string; readonly name: string };

beforeAll(async () => {
  const events = createInProcessTransport();
  for (const name of ["logbook", "webhook-dispatcher"]) {
    events.consume({
      stream: "audit",
      name,
      batchSizeMax: 100,
      store: async (messages) => {
        if (name === "logbook") told.push(...messages.map(({ body }) => JSON.parse(body) as AuditEvent));
        return await Promise.resolve();
      },
    });
  }
  chat = await startWrapper({ events, guardrail: blocking });
  project = { id: 7, uuid: chat.projectUuid, name: "Shop" };
});
afterAll(async () => await chat.stop());
beforeEach(() => {
  told.length = 0;
});

/** Waits for a number of events of one target, in the order of the changes. */
async function eventsOf(target: string, count: number): Promise<AuditEvent[]> {
  const found = () => told.filter((event) => event.target === target);
  await vi.waitFor(() => expect(found()).toHaveLength(count), { timeout: 10_000 });
  return found();
}

const keysOf = (events: readonly AuditEvent[]) => events.map(({ event, severity }) => `${event} ${severity}`);

test("changes of a provider and its credentials are audited; what changes nothing is not", async () => {
  const { admin } = chat;
  const provider = "told";
  const { id } = await admin.call<{ id: number }>("svc_create_provider", { name: provider, kind: "mock" });
  for (const enabled of [true, false, false, true]) await admin.call("svc_set_provider_enabled", { provider, enabled });
  for (const base_url of ["http://203.0.113.9/v1", "http://203.0.113.9/v1"]) {
    await admin.call("svc_update_provider", { provider, base_url });
  }
  const key = { provider, name: "told-key", api_key: "sk-test-1234567890" };
  const { id: credential_id } = await admin.call<{ id: number }>("svc_create_credential", key);
  for (const is_active of [true, false, false, true]) {
    await admin.call("svc_set_credential_active", { credential_id, is_active });
  }
  await admin.call("svc_update_credential", { credential_id, name: "told-key" });
  await admin.call("svc_update_credential", { credential_id, api_key: "sk-test-0987654321" });
  await admin.call("svc_delete_credential", { credential_id });
  await admin.call("svc_delete_provider", { provider });
  const providers = await eventsOf("told", 5);
  expect(keysOf(providers)).toEqual([
    "provider.created info",
    "provider.disabled warn",
    "provider.enabled info",
    "provider.updated info",
    "provider.deleted warn",
  ]);
  expect(providers[0]).toMatchObject({
    actor: "admin_key:ops",
    ipAddress: "192.0.2.7",
    project: null,
    metadata: { provider_id: id, kind: "mock" },
  });
  expect(providers[3]?.metadata).toEqual({ provider_id: id, kind: "mock", changed: ["base_url"] });
  const credentials = await eventsOf("told-key", 5);
  expect(keysOf(credentials)).toEqual([
    "credential.created info",
    "credential.deactivated warn",
    "credential.activated info",
    "credential.updated info",
    "credential.deleted warn",
  ]);
  expect(credentials[0]?.metadata).toEqual({ credential_id, provider: "told" });
  expect(credentials[3]?.metadata).toEqual({ credential_id, provider: "told", changed: ["api_key"] });
  expect(JSON.stringify(told)).not.toContain("sk-test");
});

test("an endpoint's changes are audited with the changed arguments; what changes nothing is not", async () => {
  const { admin } = chat;
  await admin.call("svc_create_provider", { name: "mock", kind: "mock" });
  const targets = [{ provider: "mock", model: "m", input_price_per_million: 1 }];
  const given = { project: project.uuid, slug: "told", targets };
  const { uuid: endpoint } = await admin.call<{ uuid: string }>("svc_create_endpoint", given, project);
  for (const description of ["first", "first"]) {
    await admin.call("svc_update_endpoint", { endpoint, description, targets, monthly_budget_usd: null }, project);
  }
  for (const is_active of [true, false, false, true]) {
    await admin.call("svc_set_endpoint_active", { endpoint, is_active }, project);
  }
  await admin.call("svc_delete_endpoint", { endpoint }, project);
  const events = await eventsOf("told", 5);
  expect(keysOf(events)).toEqual([
    "endpoint.created info",
    "endpoint.updated info",
    "endpoint.deactivated warn",
    "endpoint.activated info",
    "endpoint.deleted warn",
  ]);
  expect(events[1]?.metadata).toEqual({ endpoint, slug: "told", changed: ["description"] });
  expect(events[1]?.project).toEqual(project);
});

test("a call that a guardrail blocks is audited with its caller and its detector, without its text", async () => {
  const slug = await chat.alias();
  const reply = await chat.postTo(slug, { message: `tell me about ${blockedWord}, please` });
  expect(reply.status).toBe(422);
  const [event] = (await eventsOf(slug, 2)).slice(1);
  expect(event).toMatchObject({
    event: "guardrail.blocked",
    severity: "warn",
    actor: `token:${chat.principal.tokenName}`,
    project: { uuid: chat.projectUuid },
    metadata: {
      slug,
      detector: "keyword",
      side: "input",
      request_id: "r1",
      message: "Request blocked: keyword 'falcon-7'.",
      count: 1,
    },
  });
  expect(JSON.stringify(told)).not.toContain("please");
});

test("a target whose key or model is refused is audited once, and the calls go to the next one", async () => {
  const [refusing, answering] = [await chat.provider("mock"), await chat.provider("mock")];
  const targets = [
    { provider: refusing, model: "retired" },
    { provider: answering, model: "m" },
  ];
  const slug = await chat.alias({ targets });
  const refused = "[[mock status=404]]";
  for (const _ of [1, 2, 3]) await chat.postTo(slug, { message: refused });
  const [event] = await eventsOf(refusing, 2).then((events) => events.slice(1));
  expect(event).toMatchObject({
    event: "provider.target_refused",
    severity: "warn",
    actor: "system",
    project: null,
    metadata: { kind: "mock", model: "retired", code: "status_404" },
  });
});

test("a spent budget is audited once, with the amount", async () => {
  const provider = await chat.provider("mock");
  const targets = [{ provider, model: "m", input_price_per_million: 1_000_000, output_price_per_million: 1_000_000 }];
  const slug = await chat.alias({ targets, monthly_budget_usd: 20 });
  // The prompt costs 15 dollars; the answer is limited to the rest.
  expect((await chat.postTo(slug, { message: "Hello there, how are you today?" })).status).toBe(200);
  const refused = await chat.postTo(slug, { message: "Hello again" });
  expect(refused.text).toContain("budget exhausted");
  const events = (await eventsOf(slug, 3)).slice(1);
  expect(new Set(keysOf(events))).toEqual(new Set(["budget.threshold_reached warn", "budget.exhausted error"]));
  for (const { actor, project, metadata } of events) {
    expect([actor, project?.uuid]).toEqual(["system", chat.projectUuid]);
    expect(metadata).toMatchObject({ slug, budget_usd: 20, month: expect.stringMatching(/^\d{4}-\d\d$/) as string });
    expect(metadata["spent_usd"]).toBeGreaterThanOrEqual(16);
  }
});

test("the end of a budget is published at once", async () => {
  const slug = await chat.alias({ monthly_budget_usd: 0 });
  await eventsOf(slug, 1);
  const askedAtMs = performance.now();
  expect((await chat.postTo(slug, { message: "Hello" })).text).toContain("budget exhausted");
  await eventsOf(slug, 2);
  // Without a wake-up, the outbox is read after two to five seconds.
  expect(performance.now() - askedAtMs).toBeLessThan(1_000);
});

test("a budget that is raised after its end has its events again", async () => {
  const provider = await chat.provider("mock");
  const targets = [{ provider, model: "m", input_price_per_million: 1_000_000, output_price_per_million: 1_000_000 }];
  const slug = await chat.alias({ targets, monthly_budget_usd: 0 });
  expect((await chat.postTo(slug, { message: "Hello" })).text).toContain("budget exhausted");
  const [created] = await eventsOf(slug, 2);
  const endpoint = created?.metadata["endpoint"];
  await chat.admin.call("svc_update_endpoint", { endpoint, monthly_budget_usd: 20 }, project);
  const message = "Hello there, how are you today?";
  expect((await chat.postTo(slug, { message })).status).toBe(200);
  expect((await chat.postTo(slug, { message })).text).toContain("budget exhausted");
  const budgets = (await eventsOf(slug, 5)).filter(({ event }) => event.startsWith("budget."));
  expect(budgets.map(({ event, metadata }) => [event, metadata["budget_usd"]])).toEqual([
    ["budget.exhausted", 0],
    ["budget.threshold_reached", 20],
    ["budget.exhausted", 20],
  ]);
});
