import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { AuditEvent } from "@gatehouse/audit";
import type { TestDatabase } from "@gatehouse/postgres/testing";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  asAdmin,
  createWebhook,
  endedDeliveries,
  newEvent,
  newProject,
  openTestDatabase,
  publish,
  type Receiver,
  type Replica,
  startReceiver,
  startReplica,
  testConfig,
} from "./fixture.ts";

let database: TestDatabase;
let replica: Replica;
let receiver: Receiver;
/** Every audit event of the service itself. */
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

const arrivalsOf = (text: string) => receiver.arrivals.filter(({ body }) => body.includes(text));
const toldOf = (webhookId: number) => told.filter(({ metadata }) => metadata["webhook_id"] === webhookId);

test("each change is told with its transaction, and names who made it", async () => {
  const { id, project } = await createWebhook(replica, receiver.url);
  const anybody = asAdmin(null);
  await replica.admin.updateWebhook({ webhookId: id, name: "renamed", url: undefined, events: [] }, anybody);
  await replica.admin.setWebhookActive({ webhookId: id, isActive: false }, anybody);
  await replica.admin.rotateWebhookSecret({ webhookId: id, overlapSeconds: 60, staged: true, promote: false }, anybody);
  await replica.admin.rotateWebhookSecret({ webhookId: id, promote: true, staged: false }, anybody);
  await replica.admin.deleteWebhook({ webhookId: id }, anybody);
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

test("a change that changes nothing is told to nobody", async () => {
  const { id } = await createWebhook(replica, receiver.url);
  await replica.admin.setWebhookActive({ webhookId: id, isActive: true }, asAdmin(null));
  const same = { webhookId: id, name: "ops", url: receiver.url, events: ["token.revoked"] };
  const { webhook } = await replica.admin.updateWebhook(same, asAdmin(null));
  expect(webhook?.updatedAt).toEqual(webhook?.createdAt);
  const marker = await createWebhook(replica, receiver.url);
  await expect.poll(() => toldOf(marker.id), { timeout: 5_000 }).toHaveLength(1);
  expect(toldOf(id).map(({ event }) => event)).toEqual(["webhook.created"]);
});

test("unknown events are refused by name, and none at all is refused", async () => {
  const events = ["token.revoked", "token.exploded", "*"];
  await expect(createWebhook(replica, receiver.url, { events: events as never })).rejects.toMatchObject({
    code: "invalid_argument",
    message: "Unknown event(s): token.exploded, *",
  });
  await expect(createWebhook(replica, receiver.url, { events: [] })).rejects.toMatchObject({
    message: "events must have at least one event key",
  });
});

test.each([
  "http://169.254.169.254/latest",
  "http://10.0.0.1/",
  "file:///etc/passwd",
  "http://[::1]:8080/",
  "nonsense",
])("%s is no address for a webhook, when it is made and when it is changed", async (url) => {
  const refused = { code: "invalid_argument", message: "Upstream URL blocked by SSRF guard." };
  await expect(createWebhook(replica, url)).rejects.toMatchObject(refused);
  const { id } = await createWebhook(replica, receiver.url);
  const change = { webhookId: id, url, events: [] };
  await expect(replica.admin.updateWebhook(change, asAdmin(null))).rejects.toMatchObject(refused);
});

test("nothing is sent to a webhook that is off, and what occurred meanwhile is not sent later", async () => {
  const { id, project } = await createWebhook(replica, receiver.url);
  await replica.admin.setWebhookActive({ webhookId: id, isActive: false }, asAdmin(null));
  const missed = newEvent(project);
  await publish(replica, missed);
  await delay(5);
  await replica.admin.setWebhookActive({ webhookId: id, isActive: true }, asAdmin(null));
  await publish(replica, newEvent(project, { id: randomUUID(), occurredAt: missed.occurredAt }), newEvent(project));
  await expect.poll(async () => await endedDeliveries(replica, id), { timeout: 5_000 }).toHaveLength(1);
  expect(arrivalsOf(project.uuid)).toHaveLength(1);
});

test("an event that comes twice is sent once", async () => {
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

test("a message that is no event is left out, and the others of its batch are sent", async () => {
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

test("a test is sent to a webhook that is off, and answered with its delivery", async () => {
  const { id, project, secret } = await createWebhook(replica, receiver.url);
  await replica.admin.setWebhookActive({ webhookId: id, isActive: false }, asAdmin(null));
  const { delivery } = await replica.admin.testWebhook({ webhookId: id }, asAdmin(null));
  expect(delivery).toMatchObject({
    webhookId: id,
    event: "webhook.test",
    success: true,
    httpStatus: 200,
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
  const { delivery } = await replica.admin.redeliver({ deliveryId: first?.id ?? 0 }, asAdmin(null));
  expect(delivery).toMatchObject({ redeliveryOf: first?.id, success: true, requestBody: first?.requestBody });
  const { delivery: third } = await replica.admin.redeliver({ deliveryId: delivery?.id ?? 0 }, asAdmin(null));
  expect(third?.redeliveryOf).toBe(delivery?.id);
  const arrivals = arrivalsOf(project.uuid);
  expect(new Set(arrivals.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([first?.uuid]));
  expect(new Set(arrivals.map(({ headers }) => headers["x-service-delivery"])).size).toBe(3);
});

test("a hundred redeliveries at once are a hundred attempts, each recorded", async () => {
  const { id, project } = await createWebhook(replica, receiver.url);
  await publish(replica, newEvent(project));
  await expect.poll(async () => await endedDeliveries(replica, id), { timeout: 5_000 }).toHaveLength(1);
  const [first] = await endedDeliveries(replica, id);
  const click = async () => await replica.admin.redeliver({ deliveryId: first?.id ?? 0 }, asAdmin(null));
  await Promise.all(Array.from({ length: 100 }, click));
  expect(await endedDeliveries(replica, id)).toHaveLength(101);
  expect(arrivalsOf(project.uuid)).toHaveLength(101);
});

test("deliveries are listed newest first, in pages, and by outcome", async () => {
  const { id } = await createWebhook(replica, receiver.url);
  for (let count = 0; count < 5; count++) await replica.admin.testWebhook({ webhookId: id }, asAdmin(null));
  const seen: number[] = [];
  let cursor = "";
  do {
    const page = await replica.admin.listDeliveries({ webhookId: id, limit: 2, cursor });
    seen.push(...page.deliveries.map((delivery) => delivery.id));
    cursor = page.nextCursor;
  } while (cursor !== "");
  expect(seen).toHaveLength(5);
  expect(seen).toEqual(seen.toSorted((a, b) => b - a));
  const failed = await replica.admin.listDeliveries({ webhookId: id, limit: 0, cursor: "", success: false });
  expect(failed.deliveries).toEqual([]);
  const bad = replica.admin.listDeliveries({ webhookId: id, limit: 0, cursor: "nonsense" });
  await expect(bad).rejects.toMatchObject({ code: "invalid_argument" });
});

test("a deleted webhook is out of reach, and its deliveries go", async () => {
  const { id, project } = await createWebhook(replica, receiver.url);
  const { delivery } = await replica.admin.testWebhook({ webhookId: id }, asAdmin(null));
  await replica.admin.deleteWebhook({ webhookId: id }, asAdmin(null));
  const notFound = { code: "not_found", message: `Webhook not found: ${id}` };
  await expect(replica.admin.listDeliveries({ webhookId: id, limit: 0, cursor: "" })).rejects.toMatchObject(notFound);
  await expect(replica.admin.testWebhook({ webhookId: id }, asAdmin(null))).rejects.toMatchObject(notFound);
  await expect(replica.admin.deleteWebhook({ webhookId: id }, asAdmin(null))).rejects.toMatchObject(notFound);
  const again = replica.admin.redeliver({ deliveryId: delivery?.id ?? 0 }, asAdmin(null));
  await expect(again).rejects.toMatchObject({ message: `Delivery not found: ${delivery?.id}` });
  await publish(replica, newEvent(project));
  const { webhooks } = await replica.admin.listWebhooks({ projectUuid: project.uuid, limit: 0, cursor: "" });
  expect(webhooks).toEqual([]);
});

test("a project's deletion is told to its webhooks, and then nothing of it is left", async () => {
  const project = newProject();
  const { id } = await createWebhook(replica, receiver.url, { project, events: ["project.deleted", "token.revoked"] });
  await replica.admin.deleteProject({ projectUuid: project.uuid });
  await expect(replica.admin.testWebhook({ webhookId: id }, asAdmin(null))).rejects.toMatchObject({
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

test("a project's later name is that of later bodies, whatever the order in which events come", async () => {
  const { project } = await createWebhook(replica, receiver.url, { events: ["provider.disabled"] });
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  await publish(replica, newEvent({ ...project, name: "Renamed" }, { occurredAt: at(2_000) }));
  await publish(replica, newEvent({ ...project, name: "Between" }, { occurredAt: at(1_000) }));
  await publish(replica, newEvent(null, { event: "provider.disabled", metadata: {} }));
  await expect.poll(() => arrivalsOf(project.uuid), { timeout: 5_000 }).toHaveLength(1);
  expect(arrivalsOf(project.uuid)[0]?.body).toContain('"name":"Renamed"');
});
