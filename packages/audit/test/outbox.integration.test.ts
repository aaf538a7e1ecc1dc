import { lapse } from "@gatehouse/async/testing";
import type { StreamMessage } from "@gatehouse/events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AuditEvent, recordEvent, recordEvents } from "../src/index.ts";
import {
  createOutboxWorld,
  createWatchedTransport,
  eventually,
  newEvent,
  type OutboxWorld,
  project,
} from "./outbox-world.ts";

let world: OutboxWorld;
beforeEach(async () => (world = await createOutboxWorld()));
afterEach(async () => await world.close());

const quick = { republishAfterMs: 50, sweepIntervalMs: 10, pollIntervalMs: 10, backoffMinMs: 5 };

test("an event is published with its id, severity and the database's time, stored by every consumer, and confirmed", async () => {
  const { transport } = world;
  const id = await world.record(newEvent("My key", { token_id: 3, environment: "live" }));
  world.startRelay(transport);
  await eventually(async () => expect((await world.rows())[0]?.confirmed_at).toBeInstanceOf(Date));
  const [event] = transport.stored.logbook;
  expect(event).toEqual({
    id,
    event: "token.created",
    severity: "info",
    actor: "admin_key:initial",
    project,
    target: "My key",
    metadata: { token_id: 3, environment: "live" },
    ipAddress: "192.0.2.1",
    traceparent: "",
    occurredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    source: { service: "service", number: 1 },
  });
  expect(transport.stored["webhook-dispatcher"]).toEqual([event]);
  expect((await world.rows())[0]?.confirmed_by.toSorted()).toEqual(["logbook", "webhook-dispatcher"]);
});

test("the time of an event is taken after the lock of the changed row, not at the start of its transaction", async () => {
  const { transport, database } = world;
  await database.pool.query(
    "CREATE TABLE service.changed (id int PRIMARY KEY); INSERT INTO service.changed VALUES (1)",
  );
  const begin = async () => {
    const client = await database.pool.connect();
    await client.query("BEGIN");
    await client.query("SELECT 1");
    return client;
  };
  const [late, early] = [await begin(), await begin()];
  for (const [client, target] of [[early, "first"] as const, [late, "second"] as const]) {
    await client.query("SELECT FROM service.changed FOR UPDATE");
    await recordEvent({ query: async (sql, values) => await client.query(sql, [...values]) }, newEvent(target));
    await client.query("COMMIT");
    client.release();
  }
  world.startRelay(transport);
  await eventually(() => expect(transport.stored.logbook).toHaveLength(2));
  const sorted = transport.stored.logbook.toSorted((a, b) => a.occurredAt.localeCompare(b.occurredAt));
  expect(sorted.map(({ target }) => target)).toEqual(["first", "second"]);
  expect(sorted[0]?.occurredAt).not.toBe(sorted[1]?.occurredAt);
});

test("events that follow each other within a millisecond, or in one transaction, have ascending times", async () => {
  const { transport, database } = world;
  const runner = {
    query: async (sql: string, values: readonly unknown[]) => await database.pool.query(sql, [...values]),
  };
  for (let at = 0; at < 50; at += 1) await world.record(newEvent(`${at}`));
  await recordEvents(runner, [newEvent("50"), newEvent("51"), newEvent("52")]);
  world.startRelay(transport);
  await eventually(() => expect(transport.stored.logbook).toHaveLength(53));
  const times = transport.stored.logbook.map(({ occurredAt }) => occurredAt);
  expect(times).toEqual([...new Set(times)].toSorted());
});

test("a clock that was far ahead for a moment does not give its time to later events; within an hour their order is kept", async () => {
  const { database, transport } = world;
  world.startRelay(transport);
  const setBack = async (by: string) =>
    await database.pool.query(`UPDATE audit_outbox SET created_at = created_at + interval '${by}'`);
  await world.record();
  await setBack("1 year");
  const nowMs = Date.now();
  await world.record();
  await eventually(() => expect(transport.stored.logbook).toHaveLength(2));
  const timeOf = (at: number) => Date.parse(transport.stored.logbook[at]?.occurredAt ?? "");
  expect(Math.abs(timeOf(1) - nowMs)).toBeLessThan(60_000);
  await database.pool.query("DELETE FROM audit_outbox");
  await world.record();
  await setBack("50 minutes");
  await world.record();
  await world.record();
  const { rows } = await database.pool.query<{ at: Date }>("SELECT created_at AS at FROM audit_outbox ORDER BY seq");
  const [first = 0, ...later] = rows.map(({ at }) => at.getTime());
  expect(later).toEqual([first + 1, first + 2]);
});

test("an event of a transaction that does not commit is never published", async () => {
  const { transport, database } = world;
  const client = await database.pool.connect();
  await client.query("BEGIN");
  await recordEvent({ query: async (sql, values) => await client.query(sql, [...values]) }, newEvent("undone"));
  await client.query("ROLLBACK");
  client.release();
  await world.record(newEvent("done"));
  world.startRelay(transport);
  await eventually(() => expect(transport.stored.logbook.map(({ target }) => target)).toEqual(["done"]));
});

test("events wait while publishing is blocked, and go out in order afterwards", async () => {
  const { transport } = world;
  transport.isBlocked = true;
  const relay = world.startRelay(transport, { bounds: { ...quick, lateAfterMs: 0, measureIntervalMs: 0 } });
  const targets = Array.from({ length: 450 }, (_, index) => `token ${index}`);
  for (const target of targets) await world.record(newEvent(target));
  await eventually(() =>
    expect(relay.problems()).toEqual([expect.stringContaining("450 audit events wait to be published")]),
  );
  expect(transport.published).toEqual([]);
  transport.isBlocked = false;
  await eventually(() => expect(transport.stored.logbook).toHaveLength(450));
  expect(transport.stored.logbook.map(({ target }) => target)).toEqual(targets);
  await eventually(() => expect(relay.problems()).toEqual([]));
});

test("an event that a consumer has not confirmed is published again under its id until it has", async () => {
  const { transport } = world;
  transport.silent.add("webhook-dispatcher");
  const id = await world.record();
  world.startRelay(transport, { bounds: quick });
  await eventually(() => expect(transport.published.length).toBeGreaterThanOrEqual(2));
  expect(new Set(transport.published.map((message) => message.id))).toEqual(new Set([id]));
  expect(transport.published.slice(0, 2).map(({ attempt }) => attempt)).toEqual([0, 1]);
  expect((await world.rows())[0]).toMatchObject({ confirmed_by: ["logbook"], confirmed_at: null });
  transport.silent.clear();
  await eventually(async () => expect((await world.rows())[0]?.confirmed_at).toBeInstanceOf(Date));
});

test("the delay doubles with each repeated publication", async () => {
  const { transport, database } = world;
  transport.silent.add("logbook");
  await world.record();
  world.startRelay(transport, { bounds: { ...quick, republishAfterMs: 60_000 } });
  const delay = async () => {
    const { rows } = await database.pool.query<{ readonly seconds: number }>(
      "SELECT round(extract(epoch FROM republish_at - published_at))::int AS seconds FROM audit_outbox",
    );
    return rows[0]?.seconds;
  };
  await eventually(async () => expect(await delay()).toBe(60));
  await database.pool.query("UPDATE audit_outbox SET republish_at = now()");
  await eventually(async () => expect(await delay()).toBe(120));
});

test("while no event is confirmed the delay grows beyond its usual bound, until one is", async () => {
  const { transport, database } = world;
  transport.silent.add("logbook");
  const id = await world.record();
  const bounds = { ...quick, republishAfterMs: 1, republishAfterMaxMs: 500, republishUnansweredMaxMs: 3_600_000 };
  const relay = world.startRelay(transport, { bounds });
  const repeats = () => transport.published.filter((message) => message.id === id).length;
  await eventually(() => expect(repeats()).toBeGreaterThan(5));
  // As after many more: the next delay is a quarter of an hour.
  await lapse(bounds.republishAfterMaxMs, "an hour, shortened, without a confirmed event");
  await database.pool.query("UPDATE audit_outbox SET attempts = 20, republish_at = now()");
  const delays = "SELECT extract(epoch FROM republish_at - published_at)::float8 AS seconds FROM audit_outbox";
  const delay = async () => (await database.pool.query<{ readonly seconds: number }>(delays)).rows[0]?.seconds;
  await eventually(async () => expect(await delay()).toBeGreaterThan(1_000));
  transport.silent.clear();
  await world.record(newEvent("later"));
  relay.wake();
  await eventually(async () => expect((await world.rows())[0]?.confirmed_at).toBeInstanceOf(Date));
});

test("two replicas publish each event once, in order", async () => {
  const { transport } = world;
  const bounds = { ...quick, republishAfterMs: 60_000, batchSizeMax: 10, busyDelayMs: 1 };
  world.startRelay(transport, { bounds });
  world.startRelay(transport, { bounds });
  const targets = Array.from({ length: 200 }, (_, index) => `token ${index}`);
  for (const target of targets) await world.record(newEvent(target));
  await eventually(() => expect(transport.stored.logbook).toHaveLength(200));
  expect(transport.stored.logbook.map(({ target }) => target)).toEqual(targets);
});

const numbersOf = (events: readonly { readonly source?: { readonly number: number } }[]) =>
  events.map(({ source }) => source?.number);

test("events are numbered without gaps, despite rollbacks and several replicas", async () => {
  const { transport, database } = world;
  const bounds = { ...quick, republishAfterMs: 60_000, batchSizeMax: 7, busyDelayMs: 1 };
  world.startRelay(transport, { bounds });
  world.startRelay(transport, { bounds });
  const write = async (isUndone: boolean) => {
    const client = await database.pool.connect();
    await client.query("BEGIN");
    await recordEvent({ query: async (sql, values) => await client.query(sql, [...values]) }, newEvent());
    await client.query(isUndone ? "ROLLBACK" : "COMMIT");
    client.release();
  };
  await Promise.all(Array.from({ length: 150 }, async (_, index) => await write(index % 3 === 0)));
  await eventually(() => expect(transport.stored.logbook).toHaveLength(100));
  expect(numbersOf(transport.stored.logbook)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
});

test("a number is not reused: an event that was published but not marked keeps its number", async () => {
  const { transport, database } = world;
  const seen: AuditEvent[] = [];
  const failing = {
    ...transport,
    publish: async (_stream: string, messages: readonly StreamMessage[]) => {
      seen.push(...messages.map(({ body }) => JSON.parse(body) as AuditEvent));
      // Sorted before the first, like a transaction that commits late.
      if (seen.length === 1) await database.pool.query("UPDATE audit_outbox SET seq = 0 WHERE event_id = $1", [late]);
      return await Promise.reject(new Error("The connection is lost after the broker has the message."));
    },
  };
  await world.record(newEvent("first"));
  const late = await world.record(newEvent("late"));
  const bounds = { ...quick, batchSizeMax: 1 };
  const first = world.startRelay(failing, { bounds });
  await eventually(() => expect(seen.map(({ target }) => target)).toContain("late"));
  await first.stop();
  world.startRelay(transport, { bounds });
  await eventually(() => expect(transport.stored.logbook).toHaveLength(2));
  const numbers = (events: readonly AuditEvent[]) =>
    Object.fromEntries(events.map((e) => [e.target, e.source?.number]));
  expect(numbers(seen)).toEqual({ first: 1, late: 2 });
  expect(numbers(transport.stored.logbook)).toEqual({ first: 1, late: 2 });
});

test("events of an earlier version's relay have no number and use none, and later ones are numbered from 1", async () => {
  const { transport, database } = world;
  await world.record(newEvent("of the earlier one"));
  await database.pool.query("UPDATE audit_outbox SET published_at = now(), republish_at = now(), attempts = 1");
  await world.record(newEvent("of this one"));
  world.startRelay(transport, { bounds: quick });
  await eventually(async () => expect((await world.rows()).every((row) => row.confirmed_at !== null)).toBe(true));
  const events = Object.fromEntries(transport.stored.logbook.map((event) => [event.target, event.source]));
  expect(events).toEqual({ "of the earlier one": undefined, "of this one": { service: "service", number: 1 } });
  // All that the earlier version knows of a row.
  const { rows } = await database.pool.query<{ readonly body: string }>("SELECT body FROM audit_outbox ORDER BY seq");
  expect(rows.map(({ body }) => (JSON.parse(body) as AuditEvent).source?.number)).toEqual([undefined, 1]);
});

test("an event published by a stopped relay without confirmation is confirmed through the next relay", async () => {
  const { transport } = world;
  transport.silent = new Set(["logbook", "webhook-dispatcher"]);
  await world.record();
  const first = world.startRelay(transport, { bounds: quick });
  await eventually(() => expect(transport.published.length).toBeGreaterThan(0));
  await first.stop();
  const next = createWatchedTransport();
  world.startRelay(next, { bounds: quick });
  await eventually(async () => expect((await world.rows())[0]?.confirmed_at).toBeInstanceOf(Date));
  expect(next.stored.logbook).toHaveLength(1);
});

test("confirmed events are deleted after their retention, unconfirmed ones are kept", async () => {
  const { transport, database } = world;
  await world.record(newEvent("confirmed"));
  world.startRelay(transport, { bounds: { ...quick, cleanIntervalMs: 10, keepConfirmedMs: 3_600_000 } });
  await eventually(async () => expect((await world.rows())[0]?.confirmed_at).toBeInstanceOf(Date));
  transport.silent.add("logbook");
  await world.record(newEvent("unconfirmed"));
  await database.pool.query("UPDATE audit_outbox SET created_at = now() - interval '1 year'");
  await database.pool.query("UPDATE audit_outbox SET confirmed_at = confirmed_at - interval '2 hours'");
  await eventually(async () => expect(await world.rows()).toHaveLength(1));
  expect((await world.rows())[0]?.confirmed_at).toBeNull();
});

test("a relay that is woken publishes at once, long before its next poll", async () => {
  const { transport } = world;
  const relay = world.startRelay(transport, { bounds: { pollIntervalMs: 60_000 } });
  await world.record(newEvent("first"));
  relay.wake();
  await eventually(() => expect(transport.stored.logbook).toHaveLength(1));
});

test("an event that contradicts the catalogue is refused when it is recorded", async () => {
  await expect(world.record(newEvent("key", { token_id: 1, text: "secret" }))).rejects.toThrow(
    "An event token.created does not match the catalogue: metadata must NOT have additional properties (text).",
  );
  expect(await world.rows()).toEqual([]);
});

test("a metric shows the service's unpublished events", async () => {
  const { transport, telemetry } = world;
  transport.isBlocked = true;
  await world.record();
  world.startRelay(transport, { bounds: { ...quick, measureIntervalMs: 0 } });
  await eventually(async () => {
    const text = await telemetry.metrics.metrics();
    expect(text).toContain('gatehouse_audit_outbox_events{service="service",state="unpublished"} 1');
  });
});

test("a relay whose connections are cut reconnects and loses no event", async () => {
  const { transport, database } = world;
  world.startRelay(transport, { bounds: quick });
  await world.record(newEvent("before"));
  await eventually(() => expect(transport.stored.logbook.length).toBeGreaterThan(0));
  for (let cut = 0; cut < 3; cut++) {
    const cutter = await database.connectAlone();
    await cutter.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    await cutter.end();
    await world.record(newEvent(`after ${cut}`)).catch(async () => await world.record(newEvent(`after ${cut}`)));
  }
  await eventually(async () => expect((await world.rows()).every((row) => row.confirmed_at !== null)).toBe(true));
  const targets = new Set(transport.stored.logbook.map(({ target }) => target));
  expect(targets).toEqual(new Set(["before", "after 0", "after 1", "after 2"]));
});

test("a batch without an answer is abandoned and published again", async () => {
  const { transport } = world;
  let attempts = 0;
  const hanging = {
    ...transport,
    publish: async (...batch: Parameters<typeof transport.publish>) => {
      attempts += 1;
      if (attempts === 1) await new Promise<void>(() => {});
      await transport.publish(...batch);
    },
  };
  world.startRelay(hanging, { bounds: { ...quick, publishTimeoutMs: 20 } });
  await world.record();
  await eventually(() => expect(transport.stored.logbook).toHaveLength(1));
});

test("a stop does not wait for a consumer that never answers", async () => {
  const { transport } = world;
  let isAsked = false;
  const hanging = {
    ...transport,
    publish: async () => {
      isAsked = true;
      await new Promise<void>(() => {});
    },
  };
  const relay = world.startRelay(hanging, { bounds: { ...quick, stopTimeoutMs: 20 } });
  await world.record();
  await eventually(() => expect(isAsked).toBe(true));
  await relay.stop();
  world.startRelay(transport, { bounds: quick });
  await eventually(() => expect(transport.stored.logbook).toHaveLength(1));
});
