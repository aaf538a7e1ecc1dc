import { type AuditEvent, type AuditOrigin, originMetadata } from "@gatehouse/audit";
import { createInProcessTransport } from "@gatehouse/events";
import { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import { bindRpc, connectLocally } from "@gatehouse/rpc";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { startWrapper, type WrapperHarness } from "./wrapper-harness.ts";

const blockedWord = "falcon-7";

/** A guardrail service that blocks one word. */
const blocking = connectLocally(
  bindRpc(GuardrailServiceDefinition, {
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
let origin: AuditOrigin;
/** Who asks: what the control plane sends along. */
let asked: { readonly metadata: ReturnType<typeof originMetadata> };
let gatewayWide: typeof asked;

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
  const project = { id: 7, uuid: chat.projectUuid, name: "Shop" };
  origin = { actor: "admin_key:initial", ipAddress: "192.0.2.1", project, traceparent: "" };
  asked = { metadata: originMetadata(origin) };
  gatewayWide = { metadata: originMetadata({ ...origin, project: null }) };
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

test("a provider and its credentials are told; what changes nothing is not", async () => {
  const { admin } = chat;
  const { provider } = await admin.createProvider({ name: "told", kind: "mock" }, gatewayWide);
  for (const enabled of [true, false, false, true]) {
    await admin.setProviderEnabled({ provider: "told", enabled }, gatewayWide);
  }
  const created = await admin.createCredential(
    { provider: "told", name: "told-key", apiKey: "sk-test-1234567890" },
    gatewayWide,
  );
  const credentialId = created.credential?.id ?? 0;
  for (const isActive of [true, false, false, true]) {
    await admin.setCredentialActive({ credentialId, isActive }, gatewayWide);
  }
  await admin.deleteCredential({ credentialId }, gatewayWide);
  const providers = await eventsOf("told", 3);
  expect(keysOf(providers)).toEqual(["provider.created info", "provider.disabled warn", "provider.enabled info"]);
  expect(providers[0]).toMatchObject({
    actor: "admin_key:initial",
    ipAddress: "192.0.2.1",
    project: null,
    metadata: { provider_id: provider?.id, kind: "mock" },
  });
  const credentials = await eventsOf("told-key", 4);
  expect(keysOf(credentials)).toEqual([
    "credential.created info",
    "credential.deactivated warn",
    "credential.activated info",
    "credential.deleted warn",
  ]);
  expect(credentials[0]?.metadata).toEqual({ credential_id: credentialId, provider: "told" });
  expect(JSON.stringify(told)).not.toContain("sk-test");
});

test("an endpoint's life is told with the arguments that were changed; what changes nothing is not", async () => {
  const { admin, projectUuid } = chat;
  await admin.createProvider({ name: "mock", kind: "mock" });
  const definition = { slug: "told", targets: [{ provider: "mock", model: "m" }] };
  const { endpoint } = await admin.createEndpoint({ projectUuid, definition }, asked);
  const endpointUuid = endpoint?.uuid ?? "";
  for (const description of ["first", "first"]) {
    const change = { endpointUuid, definition: { description }, updateMask: ["description"] };
    await admin.updateEndpoint(change, asked);
  }
  for (const isActive of [true, false, false, true]) await admin.setEndpointActive({ endpointUuid, isActive }, asked);
  await admin.deleteEndpoint({ endpointUuid }, asked);
  const events = await eventsOf("told", 5);
  expect(keysOf(events)).toEqual([
    "endpoint.created info",
    "endpoint.updated info",
    "endpoint.deactivated warn",
    "endpoint.activated info",
    "endpoint.deleted warn",
  ]);
  expect(events[1]?.metadata).toEqual({ endpoint: endpointUuid, slug: "told", changed: ["description"] });
  expect(events[1]?.project).toEqual(origin.project);
});

test("a call that a guardrail blocks is told with who called and what found it, without its text", async () => {
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

test("a budget that is spent is told once, with what was spent", async () => {
  const provider = await chat.provider("mock");
  const targets = [{ provider, model: "m", inputPricePerMillion: 1_000_000, outputPricePerMillion: 1_000_000 }];
  const slug = await chat.alias({ targets, monthlyBudgetMicros: 20_000_000 });
  // The prompt costs 15 dollars; the answer is cut to what is left.
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
