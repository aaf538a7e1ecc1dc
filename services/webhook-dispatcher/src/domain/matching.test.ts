import type { AuditEvent } from "@gatehouse/audit";
import { expect, test } from "vitest";
import { matchEvents, type Subscription } from "./matching.ts";

const acme = { id: 1, name: "Acme", uuid: "11111111-1111-4111-8111-111111111111" };
const other = { id: 2, name: "Other", uuid: "22222222-2222-4222-8222-222222222222" };
const occurredAt = "2026-11-21T08:00:00.000Z";

function event(changes: Partial<AuditEvent> = {}): AuditEvent {
  return {
    id: "33333333-3333-4333-8333-333333333333",
    event: "token.revoked",
    severity: "warn",
    actor: "system",
    project: acme,
    target: "ci",
    metadata: { token_id: 3 },
    ipAddress: "",
    occurredAt,
    traceparent: "",
    ...changes,
  };
}

function subscription(webhookId: number, changes: Partial<Subscription> = {}): Subscription {
  return { webhookId, events: ["token.revoked"], activeSince: new Date(0), project: acme, ...changes };
}

test("an event goes to each webhook of its project that names its key", () => {
  const subscriptions = [
    subscription(1),
    subscription(2, { events: ["token.created"] }),
    subscription(3, { project: other }),
    subscription(4, { events: ["token.created", "token.revoked"] }),
  ];
  expect(matchEvents([event()], subscriptions).map(({ webhookId }) => webhookId)).toEqual([1, 4]);
});

test("the event of a webhook's creation goes to other webhooks only, and later ones to it too", () => {
  const all = [1, 2].map((id) => subscription(id, { events: ["webhook.created", "webhook.updated"] }));
  const receivers = (key: "webhook.created" | "webhook.updated") =>
    matchEvents([event({ event: key, metadata: { webhook_id: 2 } })], all).map(({ webhookId }) => webhookId);
  expect(receivers("webhook.created")).toEqual([1]);
  expect(receivers("webhook.updated")).toEqual([1, 2]);
});

test("an event of the whole gateway goes to every project's webhooks, and names the receiver's project", () => {
  const global = event({ event: "provider.disabled", project: null });
  const keys = { events: ["provider.disabled"] };
  const made = matchEvents([global], [subscription(1, keys), subscription(2, { ...keys, project: other })]);
  expect(made.map(({ requestBody }) => (JSON.parse(requestBody) as { project: unknown }).project)).toEqual([
    acme,
    other,
  ]);
});

test("a new project goes to every project's webhooks, and is the one that is named", () => {
  const created = event({ event: "project.created", project: other });
  const keys = { events: ["project.created"] };
  const [made, ...more] = matchEvents([created], [subscription(1, keys)]);
  expect(JSON.parse(made?.requestBody ?? "{}")).toMatchObject({ event: "project.created", project: other });
  expect(more).toEqual([]);
});

test("events before a webhook became active are not sent to it", () => {
  const at = (time: string) => ({ activeSince: new Date(time) });
  const subscriptions = [
    subscription(1, at("2026-11-21T08:00:00.000Z")),
    subscription(2, at("2026-11-21T08:00:00.001Z")),
  ];
  expect(matchEvents([event()], subscriptions).map(({ webhookId }) => webhookId)).toEqual([1]);
});

test("a body is compact JSON with its fields in the contract's order", () => {
  const [made] = matchEvents([event()], [subscription(1)]);
  expect(made?.requestBody).toBe(
    '{"event":"token.revoked","severity":"warn","actor":"system",' +
      '"project":{"id":1,"name":"Acme","uuid":"11111111-1111-4111-8111-111111111111"},' +
      '"target":"ci","metadata":{"token_id":3},"ip_address":"","occurred_at":"2026-11-21T08:00:00.000Z"}',
  );
});
