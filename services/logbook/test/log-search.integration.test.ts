import { randomUUID } from "node:crypto";
import type { OpenDatabase } from "@gatehouse/database";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayLogQuery, queryGatewayLog } from "../src/store/gateway-log-reader.ts";
import { explaining, type LogbookHarness, newWireEntry, openHarness, type ShownPage, toMessage } from "./harness.ts";

let harness: LogbookHarness;
let database: OpenDatabase;

beforeAll(async () => {
  harness = await openHarness();
  await harness.startReplica();
  database = harness.openPool();
});
afterAll(async () => await harness.stop());

const everything: GatewayLogQuery = {
  range: { since: undefined, until: undefined, take: 10, before: undefined },
  projectUuid: undefined,
  status: undefined,
  requestId: undefined,
  endpointUuid: undefined,
  tokenId: undefined,
  user: undefined,
  route: undefined,
  provider: undefined,
  model: undefined,
  error: undefined,
  isClientsOnly: false,
};

const search = async (signal: AbortSignal, timeoutMs?: number) =>
  await queryGatewayLog(database, everything, signal, timeoutMs);

test("a search that takes too long is refused with advice to narrow it", async () => {
  await withLockedLog(async () => {
    await expect(search(new AbortController().signal, 50)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/took too long\. Narrow it: name since and until/),
    });
    await expect.poll(waitingSearches).toEqual([]);
  });
});

test("a search whose statement an operator cancels is `unavailable`", async () => {
  await withLockedLog(async () => {
    const ended = search(new AbortController().signal);
    const cancelled = expect(ended).rejects.toMatchObject({ code: "unavailable" });
    await expect.poll(waitingSearches).toHaveLength(1);
    for (const pid of await waitingSearches()) await harness.sql("SELECT pg_cancel_backend($1)", [pid]);
    await cancelled;
  });
});

test("a search ends once its caller leaves, in the database too", async () => {
  await withLockedLog(async () => {
    const caller = new AbortController();
    const ended = search(caller.signal);
    const left = expect(ended).rejects.toMatchObject({ name: "AbortError" });
    await expect.poll(waitingSearches).toHaveLength(1);
    caller.abort();
    await left;
    await expect.poll(waitingSearches).toEqual([]);
  });
  expect((await search(new AbortController().signal)).items).toEqual([]);
});

test("a search with an aborted signal is not run", async () => {
  await withLockedLog(async () => {
    await expect(search(AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
    expect(await waitingSearches()).toEqual([]);
  });
});

/** Runs work while no search of the gateway log can read it. */
async function withLockedLog(work: () => Promise<void>): Promise<void> {
  const blocker = new pg.Client({ connectionString: harness.url });
  await blocker.connect();
  try {
    await blocker.query("BEGIN; LOCK TABLE logbook.gateway_log IN ACCESS EXCLUSIVE MODE");
    await work();
  } finally {
    await blocker.end();
  }
}

test("a search reads few partitions at once, and older ones only if it needs them", async () => {
  const other = await openHarness();
  try {
    const { events } = await other.startReplica({ retentionDays: 3_650 });
    const days = [0, 1, 400, 3_000];
    const ids = days.map((day) => ({ id: randomUUID(), at: Date.now() - day * 86_400_000 }));
    const messages = ids.map(({ id, at }) => toMessage([newWireEntry({ request_id: id, at_ms: at })]));
    await events.publish("gateway_log", messages);
    await other.sql(`SELECT make_gateway_log_partition(d::date) FROM generate_series(50, 300) AS n,
      LATERAL (SELECT now() - n * interval '1 day') AS past (d)`);
    const read = async (query: Partial<GatewayLogQuery>) => {
      const given = { ...everything, ...query };
      const { items } = await queryGatewayLog(other.openPool(), given, new AbortController().signal, 5_000);
      return items.map(({ requestId }) => requestId);
    };
    const take = (count: number) => ({ range: { ...everything.range, take: count } });
    expect(await read({})).toEqual(ids.map(({ id }) => id));
    expect(await read({ requestId: ids[3]?.id })).toEqual([ids[3]?.id]);

    const blocker = new pg.Client({ connectionString: other.url });
    await blocker.connect();
    try {
      const [oldest] = await other.sql(
        "SELECT min(inhrelid::regclass::text) AS name FROM pg_inherits WHERE inhparent = 'gateway_log'::regclass",
      );
      await blocker.query(`BEGIN; LOCK TABLE logbook.${String(oldest?.["name"])} IN ACCESS EXCLUSIVE MODE`);
      expect(await read(take(1))).toEqual([ids[0]?.id]);
      await expect(read(take(4))).rejects.toMatchObject({ code: "unavailable" });
    } finally {
      await blocker.end();
    }
  } finally {
    await other.stop();
  }
});

/** Backends that wait for the locked log. */
async function waitingSearches(): Promise<unknown[]> {
  const rows = await harness.sql(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
       AND query LIKE 'SELECT id, last_at FROM gateway_log%'`,
  );
  return rows.map(({ pid }) => pid);
}

test("a project's failures are found beside another project's, also with clients_only", async () => {
  const { events, admin } = await harness.startReplica();
  const [shop, store] = [randomUUID(), randomUUID()];
  for (const [project_uuid, status, route] of [
    [shop, 200, "chat_direct"],
    [store, 502, "chat_direct"],
    [store, 503, "control_mcp"],
  ] as const) {
    const other = newWireEntry({ project_uuid: shop, status: 200, route: "control_mcp" });
    await events.publish("gateway_log", [toMessage([other, newWireEntry({ project_uuid, status, route })])]);
  }
  const statuses = async (project: string, input: Readonly<Record<string, unknown>>) => {
    const known = { id: 1, uuid: project, name: "Shop" };
    const { entries } = await admin.call<ShownPage>("svc_query_gateway_log", { project, ...input }, known);
    return entries.map(({ status }) => status);
  };
  expect(await statuses(shop, { status: "5xx" })).toEqual([]);
  expect(await statuses(store, { status: "5xx" })).toEqual([503, 502]);
  expect(await statuses(store, { status: 502 })).toEqual([502]);
  expect(await statuses(store, { clients_only: true })).toEqual([502]);
  expect(await statuses(shop, { clients_only: true })).toEqual([200]);
});

/** Blocks of one entry, over some days. */
const manyBlocks = `
  INSERT INTO gateway_log (first_at, last_at, keys, project_uuids, endpoint_uuids, token_ids, user_names, routes, statuses, errors,
    providers, models, attempts, kinds, offsets_ms, request_ids, durations_ms)
  SELECT at, at, '{route:chat_direct,status:200,class:2}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{chat_direct}', '{200}', '{NULL}',
    '{NULL}', '{NULL}', '{1}', '{1}', '{0}', ARRAY['planned-' || n], '{1}'
  FROM (SELECT n, now() - n * interval '15 seconds' AS at FROM generate_series(1, 20000) AS n) AS numbers`;

test("a request is found by the index of request ids, behind any number of newer blocks", async () => {
  const days = await harness.sql(
    "SELECT (now() - n * interval '1 day')::date::text AS day FROM generate_series(0, 4) AS n",
  );
  for (const { day } of days)
    await harness.sql(
      `SELECT make_gateway_log_partition($1) WHERE to_regclass('gateway_log_p' || to_char($1::date, 'YYYYMMDD')) IS NULL`,
      [day],
    );
  await harness.sql(manyBlocks);
  await harness.sql("ANALYZE gateway_log");
  const plans: string[] = [];
  const connect = async () => explaining(await database.pool.connect(), plans, (text) => text.includes("fits"));
  const pool = Object.create(database.pool, { connect: { value: connect } }) as pg.Pool;
  const query = { ...everything, requestId: "planned-19999" };
  const page = await queryGatewayLog({ ...database, pool }, query, new AbortController().signal);
  expect(page.items.map(({ requestId }) => requestId)).toEqual(["planned-19999"]);
  expect(plans).toHaveLength(1);
  expect(plans[0]).toMatch(/Bitmap Index Scan on gateway_log_p\d+_request_ids_idx/);
  // Where the order is asked of what the index finds, no size of the log makes Postgres read the primary key instead.
  expect(plans[0]).toContain("CTE Scan on fits");
});
