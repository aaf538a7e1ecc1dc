import type { TestDatabase } from "@gatehouse/postgres/testing";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { refusedError, replyRefusedError } from "../src/domain/delivery.ts";
import { DeliveryDispatcher } from "../src/workers/dispatcher.ts";
import {
  createIdle,
  createWebhook,
  endedDeliveries,
  newEvent,
  openTestDatabase,
  publish,
  type Receiver,
  startReceiver,
  startReplica,
  testConfig,
} from "./fixture.ts";

let receiver: Receiver;
let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  receiver = await startReceiver();
});

beforeEach(async () => {
  database = await openTestDatabase();
  client = new pg.Client({ connectionString: database.url, options: "-c search_path=webhook_dispatcher" });
  await client.connect();
});

afterEach(async () => {
  await client.end();
  await database.drop();
});

afterAll(async () => await receiver.stop());

/** Inserts waiting deliveries of one event with the given ages. */
async function insertPending(webhookId: number, event: string, ...ages: string[]): Promise<void> {
  for (const age of ages) {
    await client.query(
      `INSERT INTO deliveries (webhook_id, message_uuid, event, request_body, created_at)
       VALUES ($1, gen_random_uuid(), $2, '{}', now() - $3::interval)`,
      [webhookId, event, age],
    );
  }
}

test("deliveries that have waited for months, or are from the future, are sent beside the others", async () => {
  const config = testConfig(database.url);
  const { id } = await createWebhook(await createIdle(config), receiver.url);
  await insertPending(id, "token.revoked", "90 days", "1 second", "-90 days");
  const replica = await startReplica(config);
  await expect.poll(async () => await endedDeliveries(replica, id), { timeout: 5_000 }).toHaveLength(3);
  const ended = await endedDeliveries(replica, id);
  expect(ended).toMatchObject([{ success: true }, { success: true }, { success: true }]);
  expect(ended.map(({ timing }) => timing)).toMatchObject([{ queue: 0 }, {}, { queue: 2 ** 31 - 1 }]);
  await replica.service.stop();
});

/** Makes Postgres refuse changes of one event's deliveries, by a trigger. */
async function refuse(event: string, state: string): Promise<void> {
  await client.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION USING ERRCODE = '22003', MESSAGE = 'out of range'; END $$`);
  await client.query(`CREATE TRIGGER refuse BEFORE UPDATE ON deliveries FOR EACH ROW
    WHEN (NEW.event = '${event}' AND NEW.state = '${state}' AND NEW.error IS NULL)
    EXECUTE FUNCTION refuse()`);
}

test.each([
  { state: "started", ending: { success: false, http_status: null, error: refusedError } },
  { state: "done", ending: { success: true, http_status: 200, error: replyRefusedError } },
])(
  "a delivery that the database refuses to record as $state ends so, and holds back no other",
  async ({ state, ending }) => {
    const config = testConfig(database.url);
    const { id } = await createWebhook(await createIdle(config), receiver.url);
    await insertPending(id, "token.revoked", "3 seconds");
    await insertPending(id, "token.created", "2 seconds");
    await insertPending(id, "token.revoked", "1 second");
    await refuse("token.created", state);
    const replica = await startReplica(config);
    await expect.poll(async () => await endedDeliveries(replica, id), { timeout: 5_000 }).toHaveLength(3);
    expect(await endedDeliveries(replica, id)).toMatchObject([
      { event: "token.revoked", success: true, error: null },
      { event: "token.created", ...ending },
      { event: "token.revoked", success: true, error: null },
    ]);
    await replica.service.stop();
  },
);

test("a claim in progress when the dispatcher stops is returned, neither sent nor left to its lease", async () => {
  const config = testConfig(database.url);
  const replica = await startReplica(config);
  const { id, project } = await createWebhook(replica, receiver.url);
  const before = receiver.arrivals.length;
  // The claim waits in its statement until the lock is released.
  await client.query(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NEW; END $$`);
  await client.query(`CREATE TRIGGER hold BEFORE UPDATE ON deliveries FOR EACH ROW
    WHEN (NEW.state = 'claimed') EXECUTE FUNCTION hold()`);
  await client.query("SELECT pg_advisory_lock(7)");
  await publish(replica, newEvent(project));
  await expect
    .poll(async () => (await client.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).rowCount)
    .toBe(1);
  using stop = vi.spyOn(DeliveryDispatcher.prototype, "stop");
  const stopped = replica.service.stop();
  // The service closes its port before it stops the dispatcher.
  await expect.poll(() => stop.mock.calls.length).toBe(1);
  await client.query("SELECT pg_advisory_unlock(7)");
  await stopped;
  const { rows } = await client.query("SELECT state, lease_no FROM deliveries WHERE webhook_id = $1", [id]);
  expect(rows).toEqual([{ state: "pending", lease_no: 2 }]);
  expect(receiver.arrivals).toHaveLength(before);
});
