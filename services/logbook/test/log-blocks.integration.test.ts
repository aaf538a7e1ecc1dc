import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keysOfSearch } from "../src/domain/log-keys.ts";
import { type LogbookHarness, newWireEntry, openBefore, openHarness, type ShownPage, toMessage } from "./harness.ts";

let harness: LogbookHarness;

beforeAll(async () => {
  harness = await openHarness();
});
afterAll(async () => await harness.stop());

const minuteMs = 60_000;

test("pages are in order when blocks overlap in time, and searches find entries of every block", async () => {
  const { events, admin } = await harness.startReplica();
  const project = randomUUID();
  const nowMs = Date.now();
  let seed = 7;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const sent = Array.from({ length: 40 }, (_, message) =>
    Array.from({ length: 5 }, (_unused, place) =>
      newWireEntry({
        project_uuid: place === 4 ? randomUUID() : project,
        // A long call is recorded long after it began.
        at_ms: Math.round(nowMs - 30 * minuteMs + message * 1_000 - random() * 25 * minuteMs),
        token_id: message + 1,
        status: message === 3 ? 502 : 200,
      }),
    ),
  );
  for (const entries of sent) await events.publish("gateway_log", [toMessage(entries)]);
  const all = sent.flat().filter((entry) => entry["project_uuid"] === project);
  const newestFirst = all.toSorted((left, right) => Number(right["at_ms"]) - Number(left["at_ms"]));
  const query = async (input: Readonly<Record<string, unknown>>) =>
    await admin.call<ShownPage>("svc_query_gateway_log", { project, ...input }, { id: 1, uuid: project, name: "Shop" });
  const seen: Readonly<Record<string, unknown>>[] = [];
  for (let cursor: string | null = null; ;) {
    const page: ShownPage = await query({ limit: 7, cursor });
    seen.push(...page.entries);
    cursor = page.next_cursor;
    if (cursor === null) break;
  }
  expect(seen.map(({ at }) => Date.parse(String(at)))).toEqual(newestFirst.map((entry) => entry["at_ms"]));
  expect(new Set(seen.map((entry) => entry["request_id"]))).toEqual(new Set(all.map((entry) => entry["request_id"])));
  expect((await query({ token_id: 1 })).entries).toHaveLength(4);
  expect((await query({ status: "5xx" })).entries).toHaveLength(4);
  expect((await query({ request_id: all[9]?.["request_id"] })).entries).toHaveLength(1);
  const [since, until] = [newestFirst[60], newestFirst[20]].map((entry) => new Date(Number(entry?.["at_ms"])));
  const between = all.filter(({ at_ms }) => Number(at_ms) >= Number(since) && Number(at_ms) < Number(until));
  const asked = { since: since?.toISOString(), until: until?.toISOString(), limit: 200 };
  expect((await query(asked)).entries).toHaveLength(between.length);
});

test("a message with entries of different days is stored completely and once", async () => {
  const { events, admin } = await harness.startReplica();
  const project = randomUUID();
  const days = [0, 1, 2, 9];
  const entries = days.map((day) =>
    newWireEntry({ project_uuid: project, at_ms: Date.now() - day * 1_440 * minuteMs }),
  );
  const message = toMessage(entries);
  await events.publish("gateway_log", [message, message]);
  await events.publish("gateway_log", [message]);
  const known = { id: 1, uuid: project, name: "Shop" };
  const page = await admin.call<ShownPage>("svc_query_gateway_log", { project }, known);
  expect(page.entries.map((entry) => entry["request_id"])).toEqual(entries.map((entry) => entry["request_id"]));
});

test("rows of the earlier format are converted to blocks, entry by entry", async () => {
  const { client, migrate, drop } = await openBefore("20261123030000_log_blocks");
  try {
    for (const day of ["2026-01-01", "2026-01-02"]) await client.query("SELECT make_gateway_log_partition($1)", [day]);
    await client.query(
      `INSERT INTO gateway_log (at, request_id, trace_id, project_uuid, token_id, user_name, route, status, error, duration_ms, provider,
         attempts, prompt_tokens, cost_micros, details)
       SELECT timestamptz '2026-01-01T12:00Z' + n * interval '61.007 seconds', 'req-' || n, CASE WHEN n % 2 = 0 THEN 'trace-' || n END,
         CASE WHEN n % 3 = 0 THEN gen_random_uuid() END, n % 5, CASE WHEN n % 7 = 0 THEN 'ann' END, 'chat_direct',
         CASE WHEN n % 11 = 0 THEN 502 ELSE 200 END, CASE WHEN n % 11 = 0 THEN 'a "broken", {reply}' END, n, 'openai', 1, n, n,
         CASE WHEN n % 13 = 0 THEN '{"stream":true}'::json END
       FROM generate_series(1, 1500) AS n`,
    );
    const columns = `at, request_id, trace_id, project_uuid, endpoint_uuid, token_id, user_name, route, status, error, duration_ms,
      provider, model, attempts, prompt_tokens, completion_tokens, cost_micros, details::text AS details`;
    const read = async (table: string) => (await client.query(`SELECT ${columns} FROM ${table} ORDER BY at`)).rows;
    const before = await read("gateway_log");
    await migrate();
    expect(await read("gateway_log_entries")).toEqual(before);
    const found = await client.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM gateway_log WHERE keys @> '{error,status:502,token:3}'",
    );
    expect(found.rows[0]?.count).toBeGreaterThan(0);
    // The keys that a search for failures of a project has.
    const failure = before.find(({ status, project_uuid }) => status === 502 && project_uuid !== null);
    const keys = keysOfSearch({ projectUuid: failure?.project_uuid, status: { first: 500, last: 599 } });
    const blocksOf = "SELECT FROM gateway_log WHERE keys @> $1 AND $2 = ANY (request_ids)";
    expect((await client.query(blocksOf, [keys, failure?.request_id])).rows).toHaveLength(1);
    await client.query("SELECT make_gateway_log_partition('2026-01-03')");
  } finally {
    await drop();
  }
});
