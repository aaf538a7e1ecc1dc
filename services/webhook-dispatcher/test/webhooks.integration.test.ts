import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "@gatehouse/admin";
import { lapse } from "@gatehouse/async/testing";
import type { AuditEvent } from "@gatehouse/audit";
import type { TestDatabase } from "@gatehouse/postgres/testing";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createWebhook,
  endedDeliveries,
  newEvent,
  newProject,
  openTestDatabase,
  publish,
  type Receiver,
  type Replica,
  type ShownDelivery,
  startReceiver,
  startReplica,
  testConfig,
} from "./fixture.ts";

let database: TestDatabase;
let replica: Replica;
let receiver: Receiver;
/** All audit events of this service. */
const told: AuditEvent[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  replica = await startReplica(testConfig(database.url));
  replica.transport.consume({
    stream: "audit",
    name: "test",
    batchSizeMax: 100,
    async store(messages) {
      const events = messages.filter(({ id }) => !id.startsWith("bad"));
      told.push(...events.map(({ body }) => JSON.parse(body) as AuditEvent));
      await Promise.resolve();
    },
  });
  receiver = await startReceiver();
});

afterAll(async () => {
  await replica.service.stop();
  await receiver.stop();
  await database.drop();
});

interface DeliveryPage {
  readonly deliveries: readonly ShownDelivery[];
  readonly next_cursor: string | null;
}

const listDeliveries = async (input: JsonObject) =>
  await replica.admin.call<DeliveryPage>("svc_list_deliveries", input);
const arrivalsOf = (text: string) => receiver.arrivals.filter(({ body }) => body.includes(text));
const toldOf = (webhookId: number) => told.filter(({ metadata }) => metadata["webhook_id"] === webhookId);

test("each change is audited in its transaction, with the initiator", async () => {
  const { id, project } = await createWebhook(replica, receiver.url);
  await replica.admin.call("svc_update_webhook", { webhook_id: id, name: "renamed" });
  await replica.admin.call("svc_set_webhook_active", { webhook_id: id, is_active: false });
  await replica.admin.call("svc_rotate_webhook_secret", { webhook_id: id, overlap_seconds: 60, staged: true });
  await replica.admin.call("svc_rotate_webhook_secret", { webhook_id: id, promote: true });
  await replica.admin.call("svc_delete_webhook", { webhook_id: id });
  await expect
    .poll(() => toldOf(id).map(({ event }) => event), { timeout: 5_000 })
    .toEqual([
      "webhook.created",
      "webhook.updated",
      "webhook.updated",
      "webhook.secret_rotated",
      "webhook.secret_rotated",
      "webhook.deleted",
    ]);
  for (const event of toldOf(id)) expect(event).toMatchObject({ actor: "admin_key:ops", project });
  expect(toldOf(id).map(({ target }) => target)).toContain("renamed");
  expect(JSON.stringify(told)).not.toContain("whsec_");
});

test("events in another order are no change", async () => {
  const { id } = await createWebhook(replica, receiver.url);
  const events = ["token.revoked", "token.created"];
  const changed = await replica.admin.call("svc_update_webhook", { webhook_id: id, events });
  const reordered = await replica.admin.call("svc_update_webhook", { webhook_id: id, events: events.toReversed() });
  expect(reordered).toEqual(changed);
});

test("a change that changes nothing is neither audited nor announced", async () => {
  const { id } = await createWebhook(replica, receiver.url);
  await replica.admin.call("svc_set_webhook_active", { webhook_id: id, is_active: true });
  const same = { webhook_id: id, name: "ops", url: receiver.url, events: ["token.revoked"] };
  const webhook = await replica.admin.call("svc_update_webhook", same);
  expect(webhook["updated_at"]).toEqual(webhook["created_at"]);
  const marker = await createWebhook(replica, receiver.url);
  await expect.poll(() => toldOf(marker.id), { timeout: 5_000 }).toHaveLength(1);
  expect(toldOf(id).map(({ event }) => event)).toEqual(["webhook.created"]);
});

test("unknown events are refused by name, and an empty list is refused", async () => {
  const events = ["token.revoked", "token.exploded", "*"];
  await expect(createWebhook(replica, receiver.url, { events: events as never })).rejects.toMatchObject({
    code: "invalid_argument",
    message: "Unknown event(s): token.exploded, *",
  });
  await expect(createWebhook(replica, receiver.url, { events: [] })).rejects.toMatchObject({
    message: "events must have from 1 to 200 items",
  });
});

const blocked = "Upstream URL blocked by SSRF guard.";
const noUrl = "url must be an http or https URL";
test.each([
  ["http://169.254.169.254/latest", blocked],
  ["http://10.0.0.1/", blocked],
  ["http://[::1]:8080/", blocked],
  ["file:///etc/passwd", noUrl],
  ["nonsense", noUrl],
  ["https://hooks.example.com/a b", noUrl],
])("%s is refused as a webhook's address, at creation and update", async (url, message) => {
  const details = message === blocked ? { detail: expect.any(String) as string, argument: "url" } : {};
  const refused = { code: "invalid_argument", message, details };
  await expect(createWebhook(replica, url)).rejects.toMatchObject(refused);
  const { id } = await createWebhook(replica, receiver.url);
  await expect(replica.admin.call("svc_update_webhook", { webhook_id: id, url })).rejects.toMatchObject(refused);
});

test("nothing is sent to an inactive webhook, and events meanwhile are not sent later", async () => {
  const { id, project } = await createWebhook(replica, receiver.url);
  await replica.admin.call("svc_set_webhook_active", { webhook_id: id, is_active: false });
  const missed = newEvent(project);
  await publish(replica, missed);
  await lapse(5, "an event that occurred before is older than the change");
  await replica.admin.call("svc_set_webhook_active", { webhook_id: id, is_active: true });
  await publish(replica, newEvent(project, { id: randomUUID(), occurredAt: missed.occurredAt }), newEvent(project));
  await expect.poll(async () => await endedDeliveries(replica, id), { timeout: 5_000 }).toHaveLength(1);
  expect(arrivalsOf(project.uuid)).toHaveLength(1);
});

test("a repeated event is sent once", async () => {
  const { id, project } = await createWebhook(replica, receiver.url);
  const event = newEvent(project);
  await Promise.all([publish(replica, event, event), publish(replica, event)]);
  await publish(replica, event);
  const marker = newEvent(project, { target: "marker" });
  await publish(replica, marker);
  await expect.poll(async () => await endedDeliveries(replica, id), { timeout: 5_000 }).toHaveLength(2);
  expect(arrivalsOf(project.uuid)).toHaveLength(2);
});

test("an event of the whole gateway reaches every project", async () => {
  const key = "provider.disabled";
  const [first, second] = [
    await createWebhook(replica, receiver.url, { events: [key] }),
    await createWebhook(replica, receiver.url, { events: [key] }),
  ];
  await publish(replica, newEvent(null, { event: key, target: "openai", metadata: {} }));
  for (const { id, project } of [first, second]) {
    await expect.poll(async () => await endedDeliveries(replica, id), { timeout: 5_000 }).toHaveLength(1);
    expect(arrivalsOf(project.uuid)).toHaveLength(1);
  }
});

test("a message that is not an event is skipped, and the others of its batch are sent", async () => {
  const { id, project } = await createWebhook(replica, receiver.url);
  const event = newEvent(project);
  const bad = [
    "{",
    "null",
    "{}",
    JSON.stringify({ ...event, id: "x" }),
    JSON.stringify({ ...event, event: "no.such" }),
  ];
  const messages = bad.map((body, index) => ({ id: `bad-${index}`, body, attempt: 0 }));
  await replica.transport.publish("audit", [...messages, { id: event.id, body: JSON.stringify(event), attempt: 0 }]);
  await expect.poll(async () => await endedDeliveries(replica, id), { timeout: 5_000 }).toHaveLength(1);
});

test("a test is sent to an inactive webhook, and answered with its delivery", async () => {
  const { id, project, secret } = await createWebhook(replica, receiver.url);
  await replica.admin.call("svc_set_webhook_active", { webhook_id: id, is_active: false });
  const delivery = await replica.admin.call<ShownDelivery>("svc_test_webhook", { webhook_id: id });
  expect(delivery).toMatchObject({
    webhook_id: id,
    event: "webhook.test",
    success: true,
    http_status: 200,
    state: "done",
  });
  const [arrival] = arrivalsOf(project.uuid);
  const { event, target, metadata, actor } = JSON.parse(arrival?.body ?? "{}") as Record<string, unknown>;
  expect({ event, target, metadata, actor }).toEqual({
    event: "webhook.test",
    target: "ops",
    metadata: { webhook_id: id, test: true },
    actor: "admin_key:ops",
  });
  new Webhook(secret).verify(arrival?.body ?? "", arrival?.headers as Record<string, string>);
});

test("a redelivery is a new record that names the first, with the same message id and body", async () => {
  const { id, project } = await createWebhook(replica, receiver.url);
  await publish(replica, newEvent(project));
  await expect.poll(async () => await endedDeliveries(replica, id), { timeout: 5_000 }).toHaveLength(1);
  const [first] = await endedDeliveries(replica, id);
  const delivery = await replica.admin.call<ShownDelivery>("svc_redeliver", { delivery_id: first?.id ?? 0 });
  expect(delivery).toMatchObject({ redelivery_of: first?.id, success: true, request_body: first?.request_body });
  const third = await replica.admin.call<ShownDelivery>("svc_redeliver", { delivery_id: delivery?.id ?? 0 });
  expect(third.redelivery_of).toBe(first?.id);
  expect([first, delivery, third].map((each) => each?.["message_uuid"])).toEqual(Array(3).fill(first?.uuid));
  const arrivals = arrivalsOf(project.uuid);
  expect(new Set(arrivals.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([first?.uuid]));
  expect(new Set(arrivals.map(({ headers }) => headers["x-service-delivery"])).size).toBe(3);
});

test("a list contains ended deliveries; those in progress are in a separate list", async () => {
  const held = Promise.withResolvers<void>();
  const slow = createServer((_req, res) => void held.promise.then(() => res.end("ok")));
  await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
  const { port } = slow.address() as AddressInfo;
  const { id, project } = await createWebhook(replica, `http://127.0.0.1:${port}/hook`);
  await publish(replica, newEvent(project));
  const inProgress = async () => (await listDeliveries({ webhook_id: id, state: "in_progress" })).deliveries;
  await expect
    .poll(inProgress, { timeout: 5_000 })
    .toMatchObject([{ webhook_id: id, state: "started", success: null, http_status: null }]);
  expect((await listDeliveries({ webhook_id: id })).deliveries).toEqual([]);
  held.resolve();
  await expect.poll(async () => await endedDeliveries(replica, id), { timeout: 5_000 }).toHaveLength(1);
  expect((await listDeliveries({ webhook_id: id })).deliveries).toMatchObject([{ state: "done", success: true }]);
  expect(await inProgress()).toEqual([]);
  await expect(listDeliveries({ webhook_id: id, state: "in_progress", success: true })).rejects.toThrow(
    "success is for finished deliveries",
  );
  slow.close();
});

test("a hundred redeliveries at once are a hundred attempts, each recorded", async () => {
  const { id, project } = await createWebhook(replica, receiver.url);
  await publish(replica, newEvent(project));
  await expect.poll(async () => await endedDeliveries(replica, id), { timeout: 5_000 }).toHaveLength(1);
  const [first] = await endedDeliveries(replica, id);
  const click = async () => await replica.admin.call("svc_redeliver", { delivery_id: first?.id ?? 0 });
  await Promise.all(Array.from({ length: 100 }, click));
  expect(await endedDeliveries(replica, id)).toHaveLength(101);
  expect(arrivalsOf(project.uuid)).toHaveLength(101);
});

test("deliveries are listed newest first, in pages, and by outcome", async () => {
  const { id } = await createWebhook(replica, receiver.url);
  for (let count = 0; count < 5; count++) await replica.admin.call("svc_test_webhook", { webhook_id: id });
  const seen: number[] = [];
  let cursor: string | null = null;
  do {
    const page: DeliveryPage = await listDeliveries({ webhook_id: id, limit: 2, cursor });
    seen.push(...page.deliveries.map((delivery) => delivery.id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(seen).toHaveLength(5);
  expect(seen).toEqual(seen.toSorted((a, b) => b - a));
  const failed = await listDeliveries({ webhook_id: id, success: false });
  expect(failed.deliveries).toEqual([]);
  const found = async (asked: JsonObject) =>
    (await listDeliveries({ webhook_id: id, ...asked })).deliveries.map((delivery) => delivery.id);
  expect(await found({ event: "webhook.test", since: "2020-01-01T00:00:00Z" })).toEqual(seen);
  expect(await found({ event: "token.created" })).toEqual([]);
  expect(await found({ until: "2020-01-01T00:00:00Z" })).toEqual([]);
  const bad = listDeliveries({ webhook_id: id, cursor: "nonsense" });
  await expect(bad).rejects.toMatchObject({ code: "invalid_argument" });
  const misspelt = listDeliveries({ webhook_id: id, event: "token.create" });
  const message = "Invalid event: token.create. Did you mean 'token.created'?";
  await expect(misspelt).rejects.toMatchObject({ code: "invalid_argument", message });
});

test("a deleted webhook cannot be read, and its deliveries are removed", async () => {
  const { id, project } = await createWebhook(replica, receiver.url);
  const delivery = await replica.admin.call<ShownDelivery>("svc_test_webhook", { webhook_id: id });
  await replica.admin.call("svc_delete_webhook", { webhook_id: id });
  const notFound = { code: "not_found", message: `Webhook not found: ${id}` };
  await expect(replica.admin.call("svc_list_deliveries", { webhook_id: id })).rejects.toMatchObject(notFound);
  await expect(replica.admin.call("svc_test_webhook", { webhook_id: id })).rejects.toMatchObject(notFound);
  await expect(replica.admin.call("svc_delete_webhook", { webhook_id: id })).rejects.toMatchObject(notFound);
  const again = replica.admin.call("svc_redeliver", { delivery_id: delivery?.id ?? 0 });
  await expect(again).rejects.toMatchObject({ message: `Delivery not found: ${delivery?.id}` });
  await publish(replica, newEvent(project));
  const { webhooks } = await replica.admin.call("svc_list_webhooks", { project: project.uuid }, project);
  expect(webhooks).toEqual([]);
});

test("a project's deletion is delivered to its webhooks, and then its data is removed", async () => {
  const project = newProject();
  const { id } = await createWebhook(replica, receiver.url, { project, events: ["project.deleted", "token.revoked"] });
  await replica.admin.deleteProject(project.uuid);
  await expect(replica.admin.call("svc_test_webhook", { webhook_id: id })).rejects.toMatchObject({
    code: "not_found",
  });
  await expect(createWebhook(replica, receiver.url, { project })).rejects.toMatchObject({
    message: `Project not found: ${project.uuid}`,
  });
  const farewell = newEvent(project, { event: "project.deleted", target: "Acme", metadata: {} });
  await publish(replica, newEvent(project), farewell);
  await expect
    .poll(() => arrivalsOf(project.uuid).map(({ headers }) => headers["x-service-event"]), { timeout: 5_000 })
    .toContain("project.deleted");
});

test("a project's latest name is in later bodies, in any order of events", async () => {
  const { project } = await createWebhook(replica, receiver.url, { events: ["provider.disabled"] });
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  await publish(replica, newEvent({ ...project, name: "Renamed" }, { occurredAt: at(2_000) }));
  await publish(replica, newEvent({ ...project, name: "Between" }, { occurredAt: at(1_000) }));
  await publish(replica, newEvent(null, { event: "provider.disabled", metadata: {} }));
  await expect.poll(() => arrivalsOf(project.uuid), { timeout: 5_000 }).toHaveLength(1);
  expect(arrivalsOf(project.uuid)[0]?.body).toContain('"name":"Renamed"');
});
