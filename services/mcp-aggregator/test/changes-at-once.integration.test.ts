import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newProject, register, startAggregator, type TestAggregator } from "./aggregator.ts";

let database: TestDatabase;
let aggregator: TestAggregator;
let holder: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  aggregator = await startAggregator({ databaseUrl: database.url });
  holder = new pg.Client({ connectionString: database.url, options: "-c search_path=mcp_aggregator" });
  await holder.connect();
});

afterAll(async () => {
  await holder.end();
  await aggregator.stop();
  await database.drop();
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

const url = "http://127.0.0.1:1/mcp";

test("two concurrent changes of one upstream's settings are both kept", async () => {
  const { id } = await register(aggregator, newProject(), { url });
  const change = (settings: object) => async () =>
    await aggregator.admin.call("svc_update_upstream", { upstream_id: id, ...settings });
  const hold = `SELECT FROM upstreams WHERE id = ${id} FOR UPDATE`;
  const answers = await atOnce(hold, change({ denied_tools: ["a"] }), change({ pass_metadata: true }));
  expect(answers).toMatchObject([
    { status: "fulfilled", value: { denied_tools: ["a"] } },
    { status: "fulfilled", value: { denied_tools: ["a"], pass_metadata: true } },
  ]);
});

test("one of two concurrent deletions of an upstream answers not found", async () => {
  const { id } = await register(aggregator, newProject(), { url });
  const remove = async () => await aggregator.admin.call("svc_delete_upstream", { upstream_id: id });
  expect(await atOnce(`SELECT FROM upstreams WHERE id = ${id} FOR UPDATE`, remove, remove)).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "not_found" } },
  ]);
});

test("one of two concurrent registrations for a project's last place is refused", async () => {
  const project = newProject();
  await holder.query(
    `INSERT INTO upstreams (uuid, project_uuid, prefix, url, settings)
     SELECT gen_random_uuid(), $1, 'p' || n, $2, '{}' FROM generate_series(1, 199) n`,
    [project.projectUuid, url],
  );
  const create = (prefix: string) => async () => await register(aggregator, project, { prefix, url });
  // Rows can be read, but not written.
  expect(await atOnce("LOCK TABLE upstreams IN SHARE MODE", create("a"), create("b"))).toMatchObject([
    { status: "fulfilled" },
    {
      status: "rejected",
      reason: { code: "invalid_argument", message: "A project can have at most 200 upstreams. Delete one first." },
    },
  ]);
});
