import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deleteExpired } from "../src/store/clean-up.ts";
import { type LogbookHarness, newWireEntry, openHarness, toMessage } from "./harness.ts";

const dayMs = 86_400_000;

let harness: LogbookHarness;
beforeAll(async () => void (harness = await openHarness()));
afterAll(async () => await harness.stop());

const partitions = async () =>
  (await harness.sql("SELECT count(*)::int AS count FROM pg_inherits WHERE inhparent = 'gateway_log'::regclass"))[0];

test("entries that come late get the partitions of their days, however long entries are kept", async () => {
  const { events } = await harness.startReplica({ retentionDays: 3_650 });
  const before = Number((await partitions())?.["count"]);
  const ids = [9, 400, 3_000].map((days) => ({ id: randomUUID(), at: Date.now() - days * dayMs }));
  await events.publish(
    "gateway_log",
    ids.map(({ id, at }) => toMessage([newWireEntry({ request_id: id, at_ms: at })])),
  );
  const found = await harness.sql("SELECT request_id FROM gateway_log_entries ORDER BY at DESC");
  expect(found.map(({ request_id: id }) => id)).toEqual(ids.map(({ id }) => id));
  expect(await partitions()).toEqual({ count: before + ids.length });
});

test("days that are over are dropped a few at a time, so that their locks fit into Postgres", async () => {
  const other = await openHarness();
  try {
    const { service } = await other.startReplica({ retentionDays: 200 });
    await service.stop();
    await other.sql(
      "SELECT make_gateway_log_partition((now() - d * interval '1 day')::date) FROM generate_series(50, 180) AS d",
    );
    await other.sql(`CREATE TABLE drops (transaction xid8);
      CREATE FUNCTION note_drop() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO logbook.drops VALUES (pg_current_xact_id()); END $$;
      CREATE EVENT TRIGGER note_drops ON sql_drop WHEN TAG IN ('DROP TABLE') EXECUTE FUNCTION note_drop()`);
    await other.startReplica({ retentionDays: 1 });
    const dropped = await other.sql("SELECT count(*)::int AS count FROM drops GROUP BY transaction ORDER BY 1 DESC");
    expect(dropped.map(({ count }) => Number(count))).toEqual([50, 50, 31]);
  } finally {
    await other.stop();
  }
});

test("expired counts and ids are deleted in batches, after a start that does not wait for them", async () => {
  const other = await openHarness();
  try {
    const { service } = await other.startReplica();
    await service.stop();
    await other.sql(`INSERT INTO metric_minutes (at, project_uuid, endpoint_uuid, token_id, provider, model, outcome, latency,
        requests, prompt_tokens, completion_tokens, cost_micros)
      SELECT now() - interval '3 days', gen_random_uuid(), gen_random_uuid(), 1, 'p', 'm', 'ok', 1, 1, 1, 1, 1
      FROM generate_series(1, 12000)`);
    await other.sql(
      "INSERT INTO gateway_log_batches SELECT 'm' || n, now() - interval '4 days' FROM generate_series(1, 12000) n",
    );
    await other.sql(`CREATE TABLE deletions (rows int);
      CREATE FUNCTION note_deletion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO logbook.deletions SELECT count(*) FROM gone; RETURN NULL; END $$;
      CREATE TRIGGER note AFTER DELETE ON metric_minutes REFERENCING OLD TABLE AS gone
        FOR EACH STATEMENT EXECUTE FUNCTION note_deletion();
      CREATE TRIGGER note AFTER DELETE ON gateway_log_batches REFERENCING OLD TABLE AS gone
        FOR EACH STATEMENT EXECUTE FUNCTION note_deletion()`);
    const database = other.openPool();
    const holder = await database.connectAlone();
    await holder.query("BEGIN; LOCK TABLE metric_minutes, gateway_log_batches IN SHARE MODE");
    await other.startReplica();
    await holder.end();
    await deleteExpired(database, Date.now(), new AbortController().signal);
    const batches = await other.sql("SELECT max(rows) AS most, sum(rows)::int AS all FROM deletions");
    expect(batches).toEqual([{ most: 5_000, all: 24_000 }]);
  } finally {
    await other.stop();
  }
});

test("a logbook whose clock is a year ahead of Postgres' deletes nothing that has not expired", async () => {
  const other = await openHarness();
  try {
    const first = await other.startReplica();
    await first.events.publish("gateway_log", [toMessage([newWireEntry()])]);
    await first.service.stop();
    const wallNow = () => Date.now() + 365 * dayMs;
    await other.startReplica({ wallNow });
    await deleteExpired(other.openPool(), wallNow(), new AbortController().signal);
    const count = (table: string) => `(SELECT count(*) FROM ${table})::int AS ${table}`;
    const tables = ["gateway_log_entries", "gateway_log_batches", "metric_minutes"];
    expect(await other.sql(`SELECT ${tables.map(count).join(", ")}`)).toEqual([
      Object.fromEntries(tables.map((table) => [table, 1])),
    ]);
  } finally {
    await other.stop();
  }
});
