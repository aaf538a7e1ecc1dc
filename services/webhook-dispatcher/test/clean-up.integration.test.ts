import { openDatabase } from "@gatehouse/database";
import type { TestDatabase } from "@gatehouse/postgres/testing";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hasDeleted, removeDeleted, removeOld } from "../src/store/clean-up.ts";
import {
  createIdle,
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
let receiver: Receiver;

beforeAll(async () => {
  database = await openTestDatabase();
  receiver = await startReceiver();
});

afterAll(async () => {
  await receiver.stop();
  await database.drop();
});

function open() {
  const { log } = createSilentTelemetry();
  return openDatabase({ url: new Secret(database.url), schema: "webhook_dispatcher", connectionsMax: 2, log });
}

test("a deleted project leaves no webhook, delivery or root key", async () => {
  const replica: Replica = await startReplica(testConfig(database.url));
  const project = newProject();
  const { id } = await createWebhook(replica, receiver.url, { project, events: ["project.deleted"] });
  await replica.admin.call("svc_test_webhook", { webhook_id: id });
  await publish(replica, newEvent(project, { event: "project.deleted", metadata: {} }));
  await expect
    .poll(() => receiver.arrivals.filter(({ body }) => body.includes(project.uuid)), { timeout: 5_000 })
    .toHaveLength(2);
  await replica.service.stop();

  const own = open();
  expect(await hasDeleted(own)).toBe(true);
  await removeDeleted(own);
  await own.pool.query("UPDATE webhooks SET deleted_at = now() - interval '2 minutes' WHERE id = $1", [id]);
  await removeDeleted(own);
  for (const table of ["deliveries WHERE webhook_id = $1", "webhooks WHERE id = $1"]) {
    expect((await own.pool.query(`SELECT 1 FROM ${table}`, [id])).rows).toEqual([]);
  }
  expect((await own.pool.query("SELECT 1 FROM projects WHERE uuid = $1", [project.uuid])).rows).toEqual([]);
  expect(await hasDeleted(own)).toBe(false);
  await own.close();
});

test("old deliveries are removed once they have ended, waiting ones are kept", async () => {
  const idle = await createIdle(testConfig(database.url));
  const { id } = await createWebhook(idle, receiver.url);
  const own = open();
  const insert = `INSERT INTO deliveries (webhook_id, message_uuid, event, request_body, state, created_at)
    VALUES ($1, gen_random_uuid(), 'token.revoked', '{}', $2, now() - interval '40 days')`;
  for (const state of ["done", "pending"]) await own.pool.query(insert, [id, state]);
  expect(await removeOld(own, 30)).toBe(false);
  const { rows } = await own.pool.query("SELECT state FROM deliveries WHERE webhook_id = $1", [id]);
  expect(rows).toEqual([{ state: "pending" }]);
  await own.close();
  await idle.service.stop();
});

test.each([
  ["within the time for which outboxes keep it", 8, 0],
  ["for longer than ids are kept, while another consumer lacks it", 40, 1],
] as const)("an event that is published again %s is sent once", async (_when, ageDays, times) => {
  const replica = await startReplica(testConfig(database.url));
  const { id, project } = await createWebhook(replica, receiver.url);
  const event = newEvent(project);
  await publish(replica, event);
  await expect.poll(async () => await endedDeliveries(replica, id)).toHaveLength(1);

  const own = open();
  const then = `now() - interval '${ageDays} days'`;
  await own.pool.query(`UPDATE events SET stored_at = ${then} WHERE id = $1`, [event.id]);
  await own.pool.query(`UPDATE deliveries SET created_at = ${then} WHERE webhook_id = $1`, [id]);
  for (let time = 0; time < times; time += 1) await publish(replica, event);
  await removeOld(own, 1);
  const later = newEvent(project);
  await publish(replica, event, later);
  await expect
    .poll(async () => (await endedDeliveries(replica, id)).map(({ request_body: body }) => body))
    .toEqual([expect.stringContaining(later.occurredAt)]);
  expect(receiver.arrivals.filter(({ body }) => body.includes(project.uuid))).toHaveLength(2);
  await own.close();
  await replica.service.stop();
});
