import type { TestDatabase } from "@gatehouse/postgres/testing";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  createWebhook,
  newProject,
  openTestDatabase,
  type Receiver,
  type Replica,
  startReceiver,
  startReplica,
  testConfig,
  type TestProject,
} from "./fixture.ts";

let database: TestDatabase;
let replica: Replica;
let good: Receiver;
let bad: Receiver;
let project: TestProject;

beforeAll(async () => {
  database = await openTestDatabase();
  replica = await startReplica(testConfig(database.url));
  good = await startReceiver();
  bad = await startReceiver((_arrival, res) => void res.writeHead(500).end());
});
beforeEach(() => {
  project = newProject();
});
afterAll(async () => {
  await replica.service.stop();
  await good.stop();
  await bad.stop();
  await database.drop();
});

interface Health {
  readonly webhook_id: number;
  readonly name: string;
  readonly [field: string]: unknown;
}

async function healthOf(args: object = {}, within: TestProject | null = project): Promise<readonly Health[]> {
  const given = { ...(within !== null && { project: within.uuid }), ...args };
  return (await replica.admin.call<{ readonly webhooks: readonly Health[] }>("svc_get_webhook_health", given, within))
    .webhooks;
}

/** A webhook with a number of test deliveries. */
async function tested(name: string, url: string, times: number): Promise<number> {
  const { id } = await createWebhook(replica, url, { project, name });
  for (let sent = 0; sent < times; sent += 1) await replica.admin.call("svc_test_webhook", { webhook_id: id });
  return id;
}

test("successes and failures of the last day are counted by webhook, with how the last one ended", async () => {
  const id = await tested("well", good.url, 2);
  const failing = await tested("ill", bad.url, 1);
  await tested("never sent anything", good.url, 0);
  expect(await healthOf()).toEqual([
    expect.objectContaining({ webhook_id: id, succeeded: 2, failed: 0, last_success: true, last_error: null }),
    expect.objectContaining({
      webhook_id: failing,
      project: project.uuid,
      succeeded: 0,
      failed: 1,
      last_success: false,
      last_error: "The receiver answered 500.",
    }),
  ]);
});

test("a webhook fails by its last delivery alone, and only while it is active", async () => {
  const id = await tested("came back", bad.url, 2);
  const failing = async () => (await healthOf({ failing: true })).map(({ name }) => name);
  expect(await failing()).toEqual(["came back"]);
  await replica.admin.call("svc_update_webhook", { webhook_id: id, url: good.url });
  await replica.admin.call("svc_test_webhook", { webhook_id: id });
  expect(await failing()).toEqual([]);
  await replica.admin.call("svc_update_webhook", { webhook_id: id, url: bad.url });
  await replica.admin.call("svc_test_webhook", { webhook_id: id });
  expect(await failing()).toEqual(["came back"]);
  await replica.admin.call("svc_set_webhook_active", { webhook_id: id, is_active: false });
  expect(await failing()).toEqual([]);
});

test("a receiver that failed is listed, with any number of deliveries that wait for it", async () => {
  const id = await tested("backlog", bad.url, 1);
  // Leased to an absent replica, so that none is sent meanwhile.
  const backlog = `INSERT INTO webhook_dispatcher.deliveries (webhook_id, message_uuid, event, request_body, state, leased_until)
    SELECT $1, gen_random_uuid(), 'token.revoked', '{}', 'claimed', now() + interval '1 hour'
    FROM generate_series(1, 150)`;
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(backlog, [id]);
  await client.end();
  expect(await healthOf({ failing: true })).toEqual([
    expect.objectContaining({ webhook_id: id, succeeded: 0, failed: 1, last_success: false }),
  ]);
});

test("without a project all projects' webhooks are listed, page by page", async () => {
  const mine = await tested("mine", bad.url, 1);
  project = newProject();
  const theirs = await tested("theirs", bad.url, 1);
  const ids = (await healthOf({ failing: true, limit: 200 }, null)).map((each) => each.webhook_id);
  expect(ids).toEqual(expect.arrayContaining([mine, theirs]));
  const first = await replica.admin.call<{ readonly webhooks: readonly Health[]; readonly next_cursor: string | null }>(
    "svc_get_webhook_health",
    { limit: 1 },
  );
  expect(first.webhooks).toHaveLength(1);
  expect(first.next_cursor).not.toBeNull();
});
