import { randomUUID } from "node:crypto";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type ProxyKit, type ShownEndpoint, startProxyKit } from "./proxy-kit.ts";

let database: TestDatabase;
let kit: ProxyKit;
let project: string;
let holder: pg.Client;
let endpoint: string;
let connection: number;

beforeAll(async () => {
  database = await createTestDatabase();
  kit = await startProxyKit({ database });
  project = kit.principal.project.uuid;
  holder = new pg.Client({ connectionString: database.url, options: "-c search_path=api_proxy" });
  await holder.connect();
});

afterAll(async () => {
  await holder.end();
  await kit.close();
  await database.drop();
});

const target = { upstream_url: "http://127.0.0.1/v2", allowed_methods: ["GET"] };
const newSlug = () => `s-${randomUUID().slice(0, 8)}`;

beforeEach(async () => {
  endpoint = (await kit.admin.call<ShownEndpoint>("svc_create_endpoint", { project, slug: newSlug(), ...target })).uuid;
  const { rows } = await holder.query<{ id: number }>(
    `INSERT INTO oauth_connections (uuid, project_id, project_uuid, project_name, name, token_url, client_id,
       client_secret, "grant", client_auth, access_token, obtained_at, expires_at)
     VALUES (gen_random_uuid(), 7, $1, 'Weather', $2, 'http://127.0.0.1/t', 'c', '', 'client_credentials', 'basic', '',
       now(), now() + interval '1 day') RETURNING id`,
    [project, newSlug()],
  );
  connection = rows[0]?.id ?? 0;
});

const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

/** Sessions that wait for a lock. Postgres shows a transaction the activity as it first saw it, until that is cleared. */
async function countWaiting(): Promise<number | null> {
  await holder.query("SELECT pg_stat_clear_snapshot()");
  return (await holder.query(waiting)).rowCount;
}

/** Starts calls while rows are locked, releases the lock once each call waits, and returns the results. */
async function atOnce(hold: string, ...calls: (() => Promise<unknown>)[]): Promise<PromiseSettledResult<unknown>[]> {
  await holder.query("BEGIN");
  await holder.query(hold);
  const settled: Promise<PromiseSettledResult<unknown>[]>[] = [];
  for (const [at, call] of calls.entries()) {
    settled.push(Promise.allSettled([call()]));
    await expect.poll(countWaiting).toBe(at + 1);
  }
  await holder.query("COMMIT");
  return (await Promise.all(settled)).flat();
}

const holdEndpoint = () => `SELECT FROM endpoints WHERE uuid = '${endpoint}' FOR UPDATE`;
const holdConnection = () => `SELECT FROM oauth_connections WHERE id = ${connection} FOR UPDATE`;

async function eventsOf(event: string): Promise<number | null> {
  const query = "SELECT FROM audit_outbox WHERE body::jsonb->>'event' = $1 AND strpos(body, $2) > 0";
  return (await holder.query(query, [event, endpoint])).rowCount;
}

test("two concurrent deactivations of an endpoint make one change, and one event", async () => {
  const off = () => kit.admin.call("svc_set_endpoint_active", { endpoint, is_active: false });
  expect(await atOnce(holdEndpoint(), off, off)).toMatchObject([{ status: "fulfilled" }, { status: "fulfilled" }]);
  expect(await eventsOf("endpoint.deactivated")).toBe(1);
});

test("one of two concurrent deletions of an endpoint answers not found", async () => {
  const remove = () => kit.admin.call("svc_delete_endpoint", { endpoint });
  expect(await atOnce(holdEndpoint(), remove, remove)).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "not_found" } },
  ]);
});

test("one of two concurrent deletions of a connection answers not found", async () => {
  const remove = () => kit.admin.call("svc_delete_oauth_connection", { connection_id: connection });
  expect(await atOnce(holdConnection(), remove, remove)).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "not_found" } },
  ]);
});

const createUser = () =>
  kit.admin.call("svc_create_endpoint", {
    project,
    slug: newSlug(),
    ...target,
    auth: { type: "oauth", connection_id: connection },
  });

test("the deletion of a connection that an endpoint starts to use is refused, naming the endpoint", async () => {
  const remove = () => kit.admin.call("svc_delete_oauth_connection", { connection_id: connection });
  expect(await atOnce(holdConnection(), createUser, remove)).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "invalid_argument", message: expect.stringMatching("is used by endpoint") } },
  ]);
});

test("an endpoint whose connection is deleted meanwhile is refused", async () => {
  const remove = () => kit.admin.call("svc_delete_oauth_connection", { connection_id: connection });
  expect(await atOnce(holdConnection(), remove, createUser)).toMatchObject([
    { status: "fulfilled" },
    {
      status: "rejected",
      reason: { code: "invalid_argument", message: expect.stringMatching("OAuth connection not found") },
    },
  ]);
});
