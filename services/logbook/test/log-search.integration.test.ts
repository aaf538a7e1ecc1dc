import { randomUUID } from "node:crypto";
import type { OpenDatabase } from "@gatehouse/database";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayLogQuery, queryGatewayLog } from "../src/store/gateway-log-reader.ts";
import { type LogbookHarness, newWireEntry, openHarness, type ShownPage, toMessage } from "./harness.ts";

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
  const blocker = new pg.Client({ connectionString: harness.url });
  await blocker.connect();
  try {
    await blocker.query("BEGIN; LOCK TABLE logbook.gateway_log IN ACCESS EXCLUSIVE MODE");
    await expect(search(new AbortController().signal, 50)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/took too long\. Narrow it: name since and until/),
    });
  } finally {
    await blocker.end();
  }
});

test("a statement cancelled by an operator or by the bound is `unavailable`", async () => {
  const pool = { query: async () => await Promise.reject(Object.assign(new Error("m"), { code: "57014" })) };
  const ended = queryGatewayLog({ ...database, pool: pool as never }, everything, new AbortController().signal);
  await expect(ended).rejects.toMatchObject({ code: "unavailable" });
});

test("a search with an aborted signal is not run", async () => {
  await expect(search(AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
});

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
  const pool = {
    async query(text: string, values: unknown[]) {
      const { rows } = await database.pool.query<{ "QUERY PLAN": string }>(`EXPLAIN ${text}`, values);
      if (!text.includes("gateway_log_entries")) plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"));
      return await database.pool.query(text, values);
    },
  };
  const query = { ...everything, requestId: "planned-19999" };
  const page = await queryGatewayLog({ ...database, pool: pool as never }, query, new AbortController().signal);
  expect(page.items.map(({ requestId }) => requestId)).toEqual(["planned-19999"]);
  expect(plans).toHaveLength(1);
  expect(plans[0]).toMatch(/Bitmap Index Scan on gateway_log_p\d+_request_ids_idx/);
  // Where the order is asked of what the index finds, no size of the log makes Postgres read the primary key instead.
  expect(plans[0]).toContain("CTE Scan on fits");
});
