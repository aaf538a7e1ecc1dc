import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { GatewayError } from "@gatehouse/errors";
import type { EventTransport } from "@gatehouse/events";
import { createGatewayLog } from "@gatehouse/gateway-log";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  type LogbookHarness,
  type LogbookReplica,
  newEntry,
  newWireEntry,
  openHarness,
  type ShownPage,
  toMessage,
} from "./harness.ts";

let harness: LogbookHarness;
let replica: LogbookReplica;

beforeAll(async () => {
  harness = await openHarness();
  replica = await harness.startReplica();
});
afterAll(async () => await harness.stop());

const dayMs = 86_400_000;

async function publish(...entries: Record<string, unknown>[]): Promise<void> {
  await replica.events.publish("gateway_log", [toMessage(entries)]);
}

/** Asks about a project that the Control Plane knows, where the question names one. */
async function query(input: Readonly<Record<string, unknown>>) {
  const { project } = input;
  const known = typeof project === "string" ? { id: 1, uuid: project, name: "Shop" } : null;
  return await replica.admin.call<ShownPage>("svc_query_gateway_log", input, known);
}

const idsOf = ({ entries }: ShownPage) => entries.map((entry) => entry["request_id"]);

test("entries are found by endpoint, token, route and provider, combined", async () => {
  const [project, endpoint] = [randomUUID(), randomUUID()];
  const common = { project_uuid: project };
  await publish(
    newWireEntry({
      ...common,
      request_id: "a",
      endpoint_uuid: endpoint,
      token_id: 7,
      provider: "openai",
      model: "m-1",
    }),
    newWireEntry({ ...common, request_id: "b", endpoint_uuid: endpoint, token_id: 8, route: "mcp_bridge" }),
    newWireEntry({
      ...common,
      request_id: "c",
      token_id: 7,
      provider: "mock",
      user_name: "ann",
      error: "100 % Full_stop",
    }),
  );
  const found = async (asked: object) => new Set(idsOf(await query({ project, ...asked })));
  expect(await found({ endpoint: endpoint.toUpperCase() })).toEqual(new Set(["a", "b"]));
  expect(await found({ token_id: 7 })).toEqual(new Set(["a", "c"]));
  expect(await found({ token_id: 7, endpoint })).toEqual(new Set(["a"]));
  expect(await found({ route: "mcp_bridge" })).toEqual(new Set(["b"]));
  expect(await found({ provider: "mock" })).toEqual(new Set(["c"]));
  expect(await found({ user: "ann" })).toEqual(new Set(["c"]));
  await publish(newWireEntry({ ...common, request_id: "d", route: "control_mcp" }));
  await publish(newWireEntry({ ...common, request_id: "e", route: "console_session" }));
  expect(await found({ route: "control_mcp" })).toEqual(new Set(["d"]));
  expect(await found({ clients_only: true })).toEqual(new Set(["a", "b", "c"]));
  expect(await found({ model: "m-1" })).toEqual(new Set(["a"]));
  expect(await found({ error: "% full_" })).toEqual(new Set(["c"]));
  await expect(query({ project, endpoint: "x" })).rejects.toThrow("Endpoint not found: x");
  for (const none of [{ endpoint: randomUUID() }, { error: "%z" }, { token_id: 3_000_000_000 }, { route: "nowhere" }]) {
    expect(await found(none)).toEqual(new Set([]));
  }
});

test("an entry is returned with every field", async () => {
  const { log, metrics } = createSilentTelemetry();
  const gatewayLog = createGatewayLog({ transport: replica.events, spillFolder: replica.dataFolder, log, metrics });
  const entry = newEntry({
    traceId: "0af7651916cd43dd8448eb211c80319c",
    projectUuid: randomUUID(),
    endpointUuid: randomUUID(),
    tokenId: 7,
    user: "ann",
    status: 502,
    error: "Provider call failed: é",
    errorCode: "provider_failed",
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
  expect(await query({ request_id: entry.requestId })).toEqual({
    entries: [
      {
        id: expect.any(Number) as number,
        at: new Date(entry.atMs).toISOString(),
        request_id: entry.requestId,
        trace_id: entry.traceId,
        project: entry.projectUuid,
        endpoint: entry.endpointUuid,
        token_id: 7,
        user: "ann",
        route: "chat_direct",
        status: 502,
        error: "Provider call failed: é",
        error_code: "provider_failed",
        duration_ms: 12,
        provider: "openai",
        model: "gpt",
        attempts: 2,
        prompt_tokens: 10,
        completion_tokens: 20,
        cost_usd: 3_000,
        details: { price_unknown: true },
      },
    ],
    next_cursor: null,
  });
});

test("an entry has null for absent fields", async () => {
  const entry = newWireEntry();
  await publish(entry);
  const { entries } = await query({ request_id: entry["request_id"] });
  expect(entries).toEqual([
    {
      id: expect.any(Number) as number,
      at: new Date(entry["at_ms"] as number).toISOString(),
      request_id: entry["request_id"],
      trace_id: null,
      project: null,
      endpoint: null,
      token_id: null,
      user: null,
      route: "chat_direct",
      status: 200,
      error: null,
      error_code: null,
      duration_ms: 1,
      provider: null,
      model: null,
      attempts: 1,
      prompt_tokens: null,
      completion_tokens: null,
      cost_usd: null,
      details: {},
    },
  ]);
});

test("a block stored by a version without error codes has none, beside blocks with them", async () => {
  const project_uuid = randomUUID();
  await publish(newWireEntry({ project_uuid, status: 422, error: "x", error_code: "token_cap_exceeded" }));
  await harness.sql(
    `INSERT INTO gateway_log (first_at, last_at, keys, project_uuids, endpoint_uuids, token_ids, user_names, routes, statuses, errors,
       providers, models, attempts, kinds, offsets_ms, request_ids, durations_ms)
     VALUES ($1, $1, ARRAY['project:' || $2], ARRAY[$2::uuid], '{NULL}', '{NULL}', '{NULL}', '{chat_direct}', '{422}', '{x}', '{NULL}',
       '{NULL}', '{1}', '{1}', '{0}', '{r}', '{1}')`,
    [new Date(Date.now() - 1_000).toISOString(), project_uuid],
  );
  const { entries } = await query({ project: project_uuid });
  expect(entries.map(({ error, error_code }) => [error, error_code])).toEqual([
    ["x", "token_cap_exceeded"],
    ["x", null],
  ]);
});

test("a repeated message, alone or beside a new one, is stored once", async () => {
  const first = newWireEntry();
  const second = newWireEntry();
  const [one, two] = [toMessage([first]), toMessage([second])];
  await replica.events.publish("gateway_log", [one, one]);
  await replica.events.publish("gateway_log", [one, two]);
  for (const { request_id } of [first, second]) {
    expect((await query({ request_id })).entries).toHaveLength(1);
  }
});

test("a batch of this process that was stored without an answer is published again, and stored once", async () => {
  const { log, metrics } = createSilentTelemetry();
  let attempts = 0;
  const transport: EventTransport = {
    ...replica.events,
    async publish(stream, messages) {
      await replica.events.publish(stream, messages);
      attempts += 1;
      if (attempts === 1) throw new GatewayError("unavailable", "no answer");
    },
  };
  const gatewayLog = createGatewayLog({ transport, spillFolder: join(replica.dataFolder, "spill"), log, metrics });
  const projectUuid = randomUUID();
  const entries = [newEntry({ projectUuid, error: "a\0b" }), newEntry({ projectUuid, model: "\ud800" })];
  for (const entry of entries) gatewayLog.append(entry);
  await vi.waitFor(() => expect(attempts).toBe(2), { timeout: 10_000 });
  await gatewayLog.stop();
  const stored = await query({ project: projectUuid });
  expect(new Set(idsOf(stored))).toEqual(new Set(entries.map(({ requestId }) => requestId)));
  expect(stored.entries).toHaveLength(2);
  expect(new Set(stored.entries.map(({ error, model }) => error ?? model))).toEqual(new Set(["a\ufffdb", "\ufffd"]));
});

test("invalid entries are left out, and the others are stored once", async () => {
  const project_uuid = randomUUID();
  const good = [newWireEntry({ project_uuid }), newWireEntry({ project_uuid })];
  const bad = [newWireEntry({ project_uuid: "not a uuid" }), newWireEntry({ project_uuid, token_id: 1e12 }), {}];
  const broken = { id: randomUUID(), body: "[{" };
  const messages = [broken, toMessage([...bad, ...good])];
  await replica.events.publish("gateway_log", messages);
  await replica.events.publish("gateway_log", messages);
  const stored = await query({ project: project_uuid });
  expect(idsOf(stored)).toHaveLength(2);
  expect(new Set(idsOf(stored))).toEqual(new Set(good.map((entry) => entry["request_id"])));
});

test("entries that waited on disk for days are stored, and those of expired days are not", async () => {
  const project_uuid = randomUUID();
  const late = newWireEntry({ project_uuid, at_ms: Date.now() - 20 * dayMs });
  const over = newWireEntry({ project_uuid, at_ms: Date.now() - 40 * dayMs });
  await publish(late, over);
  expect(idsOf(await query({ project: project_uuid }))).toEqual([late["request_id"]]);
});

test("an entry with a time in the future is stored with a time of at most a day ahead", async () => {
  const ahead = newWireEntry({ at_ms: Date.now() + 400 * dayMs });
  await publish(ahead);
  const { entries } = await query({ request_id: ahead["request_id"] });
  expect(Date.parse(String(entries[0]?.["at"]))).toBeLessThanOrEqual(Date.now() + dayMs);
});

test("entries are filtered by project, status, class of statuses, time and request", async () => {
  const project_uuid = randomUUID();
  const start = Date.now() - 10_000;
  const statuses = [200, 404, 429, 502];
  const entries = statuses.map((status, at) => newWireEntry({ project_uuid, status, at_ms: start + at * 1_000 }));
  await publish(...entries, newWireEntry({ status: 404 }));
  const statusesOf = async (changes: Readonly<Record<string, unknown>>) =>
    (await query({ project: project_uuid, ...changes })).entries.map((entry) => entry["status"]);
  expect(await statusesOf({})).toEqual([502, 429, 404, 200]);
  expect(await statusesOf({ project: project_uuid.toUpperCase() })).toHaveLength(4);
  expect(await statusesOf({ status: "404" })).toEqual([404]);
  expect(await statusesOf({ status: 404 })).toEqual([404]);
  for (const status of ["4xx", "4XX"]) expect(await statusesOf({ status })).toEqual([429, 404]);
  const [since, until] = [new Date(start + 1_000), new Date(start + 3_000)].map((date) => date.toISOString());
  expect(await statusesOf({ since, until })).toEqual([429, 404]);
  expect(await statusesOf({ since: since?.replace("Z", "-01:00") })).toEqual([]);
  expect(await statusesOf({ request_id: entries[1]?.["request_id"] })).toEqual([404]);
  expect(await statusesOf({ request_id: "unknown" })).toEqual([]);
});

test("pages are complete and without repetition, also for entries of one millisecond", async () => {
  const project_uuid = randomUUID();
  const at_ms = Date.now();
  const sent = Array.from({ length: 25 }, (_, at) => newWireEntry({ project_uuid, at_ms: at_ms - (at % 3) }));
  await publish(...sent);
  const seen: unknown[] = [];
  let cursor: string | null = null;
  do {
    const page: ShownPage = await query({ project: project_uuid, limit: 4, cursor });
    seen.push(...idsOf(page));
    expect(page.entries.length).toBeLessThanOrEqual(4);
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(seen).toHaveLength(25);
  expect(new Set(seen)).toEqual(new Set(sent.map((entry) => entry["request_id"])));
});

test.each([
  ["svc_query_gateway_log", { status: "abc" }, "status must be"],
  ["svc_query_gateway_log", { status: "9xx" }, "status must be"],
  ["svc_query_gateway_log", { status: 4 }, "status must be"],
  ["svc_query_gateway_log", { status: "404 " }, "status must be"],
  ["svc_query_gateway_log", { since: "yesterday" }, "since must be a timestamp"],
  ["svc_query_gateway_log", { until: "2027-02-29T00:00:00Z" }, "until must be a timestamp"],
  ["svc_query_gateway_log", { limit: 201 }, "limit must be from 1 to 200"],
  ["svc_query_gateway_log", { cursor: "x" }, "cursor must be"],
  ["svc_query_audit_log", { event: "token.eaten" }, "Invalid event: token.eaten"],
])("%s with %o is refused by the argument's name", async (name, input, message) => {
  await expect(replica.admin.call(name, input)).rejects.toMatchObject({
    code: "invalid_argument",
    message: expect.stringContaining(message) as string,
  });
});

test("a deleted project still has its entries, and an unknown project without entries is not found", async () => {
  const project_uuid = randomUUID();
  const input = { project: project_uuid };
  const message = `Project not found: ${project_uuid}`;
  const call = async () => await replica.admin.call<ShownPage>("svc_query_gateway_log", input);
  await expect(call()).rejects.toMatchObject({ code: "not_found", message });
  await publish(newWireEntry({ project_uuid }));
  expect((await call()).entries).toMatchObject([input]);
  await replica.admin.deleteProject(project_uuid);
  expect((await call()).entries).toHaveLength(1);
});

test("partitions of expired days are dropped, and those of coming days are created", async () => {
  const other = await openHarness();
  try {
    let nowMs = Date.parse("2026-01-10T12:00:00Z");
    const wallNow = () => nowMs;
    const first = await other.startReplica({ wallNow, retentionDays: 2 });
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
    await other.startReplica({ wallNow, retentionDays: 2 });
    expect(await days()).toEqual(["0110", "0111", "0112", "0113", "0114", "0115"]);
  } finally {
    await other.stop();
  }
});
