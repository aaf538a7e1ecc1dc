import { randomUUID } from "node:crypto";
import { createGatewayLog } from "@gatehouse/gateway-log";
import type { QueryGatewayLogRequest } from "@gatehouse/proto/logbook";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LogbookHarness, type LogbookReplica, newEntry, newWireEntry, openHarness, toMessage } from "./harness.ts";

let harness: LogbookHarness;
let replica: LogbookReplica;

beforeAll(async () => {
  harness = await openHarness();
  replica = await harness.startReplica();
});
afterAll(async () => await harness.stop());

const dayMs = 86_400_000;
const all: QueryGatewayLogRequest = { projectUuid: "", status: "", requestId: "" };
const range = { limit: 0, cursor: "" };

async function publish(...entries: Record<string, unknown>[]): Promise<void> {
  await replica.events.publish("gateway_log", [toMessage(entries)]);
}

async function query(changes: Partial<QueryGatewayLogRequest>) {
  return await replica.logbook.queryGatewayLog({ ...all, ...changes });
}

const idsOf = (entries: readonly { readonly requestId: string }[]) => entries.map((entry) => entry.requestId);

test("an entry comes back with every field that it was given", async () => {
  const { log, metrics } = createSilentTelemetry();
  const gatewayLog = createGatewayLog({ transport: replica.events, spillFolder: replica.dataFolder, log, metrics });
  const entry = newEntry({
    traceId: "0af7651916cd43dd8448eb211c80319c",
    projectUuid: randomUUID(),
    endpointUuid: randomUUID(),
    tokenId: 7,
    status: 502,
    error: "Provider call failed: é",
    provider: "openai",
    model: "gpt",
    attempts: 2,
    promptTokens: 10,
    completionTokens: 20,
    costMicros: 3_000_000_000,
    details: { price_unknown: true },
  });
  gatewayLog.append(entry);
  await gatewayLog.stop();
  const { entries, nextCursor } = await query({ requestId: entry.requestId });
  expect(entries).toEqual([
    {
      id: expect.any(Number) as number,
      at: new Date(entry.atMs),
      requestId: entry.requestId,
      traceId: entry.traceId,
      project: entry.projectUuid,
      endpoint: entry.endpointUuid,
      tokenId: 7,
      route: "chat_direct",
      status: 502,
      error: "Provider call failed: é",
      durationMs: 12,
      provider: "openai",
      model: "gpt",
      attempts: 2,
      promptTokens: 10,
      completionTokens: 20,
      costMicros: 3_000_000_000,
      detailsJson: '{"price_unknown":true}',
    },
  ]);
  expect(nextCursor).toBe("");
});

test("a message that comes again, alone or beside a new one, is stored once", async () => {
  const first = newWireEntry();
  const second = newWireEntry();
  const [one, two] = [toMessage([first]), toMessage([second])];
  await replica.events.publish("gateway_log", [one, one]);
  await replica.events.publish("gateway_log", [one, two]);
  for (const { request_id } of [first, second]) {
    expect((await query({ requestId: String(request_id) })).entries).toHaveLength(1);
  }
});

test("what no table takes is left out, and nothing else, once as ever", async () => {
  const project_uuid = randomUUID();
  const good = [newWireEntry({ project_uuid }), newWireEntry({ project_uuid })];
  const bad = [newWireEntry({ project_uuid: "not a uuid" }), newWireEntry({ project_uuid, token_id: 1e12 }), {}];
  const broken = { id: randomUUID(), body: "[{" };
  const messages = [broken, toMessage([...bad, ...good])];
  await replica.events.publish("gateway_log", messages);
  await replica.events.publish("gateway_log", messages);
  const { entries } = await query({ projectUuid: project_uuid });
  expect(idsOf(entries).sort()).toEqual(good.map((entry) => String(entry["request_id"])).sort());
});

test("entries that waited on disk for days are stored; those of days that are over are not", async () => {
  const project_uuid = randomUUID();
  const late = newWireEntry({ project_uuid, at_ms: Date.now() - 20 * dayMs });
  const over = newWireEntry({ project_uuid, at_ms: Date.now() - 40 * dayMs });
  await publish(late, over);
  expect(idsOf((await query({ projectUuid: project_uuid })).entries)).toEqual([late["request_id"]]);
});

test("an entry of a clock that is ahead is stored", async () => {
  const ahead = newWireEntry({ at_ms: Date.now() + 400 * dayMs });
  await publish(ahead);
  const { entries } = await query({ requestId: String(ahead["request_id"]) });
  expect(entries[0]?.at?.getTime()).toBeLessThanOrEqual(Date.now() + dayMs);
});

test("entries are asked for by project, status, class of statuses, time and request", async () => {
  const project_uuid = randomUUID();
  const start = Date.now() - 10_000;
  const statuses = [200, 404, 429, 502];
  const entries = statuses.map((status, at) => newWireEntry({ project_uuid, status, at_ms: start + at * 1_000 }));
  await publish(...entries, newWireEntry({ status: 404 }));
  const statusesOf = async (changes: Partial<QueryGatewayLogRequest>) =>
    (await query({ projectUuid: project_uuid, ...changes })).entries.map(({ status }) => status);
  expect(await statusesOf({})).toEqual([502, 429, 404, 200]);
  expect(await statusesOf({ projectUuid: project_uuid.toUpperCase() })).toHaveLength(4);
  expect(await statusesOf({ status: "404" })).toEqual([404]);
  expect(await statusesOf({ status: "4xx" })).toEqual([429, 404]);
  const [since, until] = [new Date(start + 1_000), new Date(start + 3_000)];
  expect(await statusesOf({ range: { ...range, since, until } })).toEqual([429, 404]);
  expect(await statusesOf({ requestId: String(entries[1]?.["request_id"]) })).toEqual([404]);
  expect(await statusesOf({ requestId: "unknown" })).toEqual([]);
});

test("pages meet without a gap or a repetition, also among entries of one millisecond", async () => {
  const project_uuid = randomUUID();
  const at_ms = Date.now();
  const sent = Array.from({ length: 25 }, (_, at) => newWireEntry({ project_uuid, at_ms: at_ms - (at % 3) }));
  await publish(...sent);
  const seen: string[] = [];
  let cursor = "";
  do {
    const page = await query({ projectUuid: project_uuid, range: { limit: 4, cursor } });
    seen.push(...idsOf(page.entries));
    expect(page.entries.length).toBeLessThanOrEqual(4);
    cursor = page.nextCursor;
  } while (cursor !== "");
  expect(seen).toHaveLength(25);
  expect(new Set(seen)).toEqual(new Set(sent.map((entry) => entry["request_id"])));
});

test.each([
  [{ status: "abc" }, /^status must be/],
  [{ status: "9xx" }, /^status must be/],
  [{ projectUuid: "x" }, /^project_uuid must be a uuid/],
  [{ range: { limit: 201, cursor: "" } }, /^limit must be a whole number from 1 to 200/],
  [{ range: { limit: 0, cursor: "x" } }, /^cursor must be/],
])("the question %o is refused by the name of its field", async (changes, message) => {
  await expect(query(changes)).rejects.toMatchObject({
    code: "invalid_argument",
    message: expect.stringMatching(message),
  });
});

test("days that are over are dropped with their partitions, and the days to come have theirs", async () => {
  const other = await openHarness();
  try {
    let nowMs = Date.parse("2026-01-10T12:00:00Z");
    const now = () => nowMs;
    const first = await other.startReplica({ now, retentionDays: 2 });
    const days = async () =>
      (
        await other.sql(
          "SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'gateway_log'::regclass ORDER BY 1",
        )
      ).map(({ name }) => String(name).slice(-4));
    expect(await days()).toEqual(["0109", "0110", "0111", "0112", "0113"]);
    await first.events.publish("gateway_log", [toMessage([newWireEntry({ at_ms: nowMs - 2 * dayMs })])]);
    expect(await days()).toEqual(["0108", "0109", "0110", "0111", "0112", "0113"]);
    nowMs += 2 * dayMs;
    await other.startReplica({ now, retentionDays: 2 });
    expect(await days()).toEqual(["0110", "0111", "0112", "0113", "0114", "0115"]);
  } finally {
    await other.stop();
  }
});
