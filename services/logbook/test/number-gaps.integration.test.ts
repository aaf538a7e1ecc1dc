import { randomUUID } from "node:crypto";
import type { OpenDatabase } from "@gatehouse/database";
import { afterEach, beforeEach, expect, test } from "vitest";
import { gapSettlesMs } from "../src/domain/number-gaps.ts";
import { readGaps } from "../src/store/audit-numbers.ts";
import {
  lockNumbers,
  type LogbookHarness,
  type LogbookReplica,
  newEvent,
  openHarness,
  toAuditMessage,
  verifyChain,
} from "./harness.ts";

const minuteMs = 60_000;
const nearMs = 10 * minuteMs;
const dayMs = 1_440 * minuteMs;
const nowMs = Date.now();

let harness: LogbookHarness;
let replica: LogbookReplica;
let database: OpenDatabase;
beforeEach(async () => {
  harness = await openHarness();
  replica = await harness.startReplica();
  database = harness.openPool();
});
afterEach(async () => await harness.stop());

interface Stored {
  readonly atMs: number;
  readonly service?: string;
  readonly number?: number;
  /** A minute where absent. */
  readonly ageMs?: number;
}

/** Adds events to the log; those with a number are noted. */
async function store(events: readonly Stored[]): Promise<void> {
  await harness.sql(
    `WITH given AS (
       SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::bigint[], $5::float8[])
         WITH ORDINALITY AS g(event_id, at, service, number, age_ms, place)
     ), logged AS (
       INSERT INTO audit_log (chain, sequence, event_id, at, event, severity, actor, target, metadata, ip_address, traceparent,
         prev_hash, hash)
       SELECT 'test', (SELECT count(*) FROM audit_log) + place, event_id, at, 'token.created', 'info', '', '', '{}', '', '', '', ''
       FROM given
     )
     INSERT INTO audit_numbers (service, number, event_id, stored_at)
     SELECT service, number, event_id, now() - age_ms * interval '1 millisecond' FROM given WHERE number IS NOT NULL`,
    [
      events.map(() => randomUUID()),
      events.map(({ atMs }) => new Date(atMs).toISOString()),
      events.map(({ service }) => service ?? null),
      events.map(({ number }) => number ?? null),
      events.map(({ ageMs = minuteMs }) => ageMs),
    ],
  );
}

const found = async () =>
  (await readGaps(database, 10_000, new AbortController().signal)).map(({ service, first, last }) => ({
    service,
    first,
    last,
  }));

test("recent events, which may be in flight, are not a gap yet", async () => {
  const marginMs = 5_000;
  await store([
    { service: "chat", number: 1, atMs: nowMs },
    { service: "chat", number: 3, atMs: nowMs, ageMs: gapSettlesMs - marginMs },
    { service: "chat", number: 5, atMs: nowMs, ageMs: gapSettlesMs },
  ]);
  expect(await found()).toEqual([{ service: "chat", first: 4, last: 4 }]);
});

test("a gap is explained by as many unnumbered events of its time, and not by fewer", async () => {
  await store([
    { service: "chat", number: 1, atMs: nowMs },
    { service: "chat", number: 4, atMs: nowMs },
    { atMs: nowMs - nearMs },
  ]);
  expect(await found()).toEqual([{ service: "chat", first: 2, last: 3 }]);
  await store([{ atMs: nowMs - nearMs - 1 }, { atMs: nowMs + nearMs + 1 }]);
  expect(await found()).toHaveLength(1);
  await store([{ atMs: nowMs + nearMs }]);
  expect(await found()).toEqual([]);
});

test("explained gaps, and those of another service, hide no other", async () => {
  const explained = Array.from({ length: 150 }, (_, index) => ({
    service: "api-proxy",
    number: 2 * index + 1,
    atMs: nowMs,
  }));
  const hourAgoMs = nowMs - 60 * minuteMs;
  const open = Array.from({ length: 150 }, (_, index) => ({ service: "chat", number: 2 * index + 1, atMs: hourAgoMs }));
  await store([
    ...explained,
    { atMs: nowMs },
    ...open,
    { service: "guardrail", number: 1, atMs: hourAgoMs },
    { service: "guardrail", number: 3, atMs: hourAgoMs },
  ]);
  const gaps = await found();
  expect(gaps).toHaveLength(100);
  expect(gaps.slice(0, 2)).toEqual([
    { service: "chat", first: 2, last: 2 },
    { service: "chat", first: 4, last: 4 },
  ]);
  expect(gaps.at(-1)).toEqual({ service: "guardrail", first: 2, last: 2 });
});

test("a gap before an event that is not in the log any more is not explained by others", async () => {
  await store([{ service: "chat", number: 1, atMs: nowMs }, { atMs: nowMs }]);
  await harness.sql(
    "INSERT INTO audit_numbers (service, number, event_id, stored_at) VALUES ('chat', 3, 'gone', now() - interval '1 minute')",
  );
  expect(await found()).toEqual([{ service: "chat", first: 2, last: 2 }]);
});

test("numbers before the first event are explained by any earlier events, and by no later ones", async () => {
  await store([
    { service: "chat", number: 4, atMs: nowMs },
    { atMs: nowMs - 9 * dayMs },
    { atMs: nowMs - 2 * dayMs },
    { atMs: nowMs + 2 * nearMs },
  ]);
  expect(await found()).toEqual([{ service: "chat", first: 1, last: 3 }]);
  await store([{ atMs: nowMs - dayMs }]);
  expect(await found()).toEqual([]);
});

test("a search for gaps ends at its bound", async () => {
  const release = await lockNumbers(database);
  try {
    await expect(readGaps(database, 50, new AbortController().signal)).rejects.toThrow(
      "The database took too long to answer.",
    );
  } finally {
    await release();
  }
  expect((await database.pool.query("SHOW statement_timeout")).rows).toEqual([{ statement_timeout: "30s" }]);
});

test("an unfinished search for gaps is reported beside the faults of the chains", async () => {
  const event = newEvent();
  await replica.events.publish("audit", [toAuditMessage(event)]);
  await harness.sql("ALTER TABLE audit_log DISABLE TRIGGER audit_log_is_append_only");
  await harness.sql("UPDATE audit_log SET actor = 'nobody'");
  const release = await lockNumbers(database);
  try {
    const verified = verifyChain(replica);
    // As the bound on statements ends it.
    const end = async () =>
      await harness.sql(
        `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%WITH numbered%' AND pid <> pg_backend_pid()`,
      );
    await expect.poll(end, { timeout: 20_000 }).toHaveLength(1);
    const { ok, rows, faults } = await verified;
    expect({ ok, rows }).toEqual({ ok: false, rows: 1 });
    expect(faults).toMatchObject([
      { project: event.project?.uuid, kind: "edited", sequence: 1 },
      { project: null, kind: "unchecked", sequence: 0, detail: expect.stringContaining("took too long") as string },
    ]);
  } finally {
    await release();
  }
});

/** A generator of numbers in [0, 1) that gives the same ones each time. */
function createDice(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

test("the gaps of thousands of events are those of a plain model", async () => {
  const dice = createDice(7);
  const services = ["chat", "guardrail", "router"];
  const lasts = new Map(services.map((service) => [service, 0]));
  const events: Stored[] = [];
  for (let at = 0; at < 4_000; at += 1) {
    const service = services[Math.floor(dice() * services.length)] ?? "";
    const atMs = nowMs - 30 * dayMs + Math.floor((at / 4_000) * 30 * dayMs);
    const fate = dice();
    // Some of the others' time is without a number, as during an upgrade.
    if (fate < 0.1 && at % 1_000 < 300) {
      events.push({ atMs });
      continue;
    }
    const number = (lasts.get(service) ?? 0) + (fate < 0.2 ? 1 + Math.ceil(dice() * 3) : 1);
    lasts.set(service, number);
    events.push({ service, number, atMs });
  }
  await store(events);
  const unnumbered = events.filter(({ number }) => number === undefined).map(({ atMs }) => atMs);
  const expected = services.flatMap((service) => {
    const own = events.filter((event) => event.service === service);
    return own.flatMap(({ number = 0, atMs }, place) => {
      const { number: before = 0, atMs: sinceMs } = own[place - 1] ?? { atMs: -Infinity };
      const near = unnumbered.filter((each) => each >= sinceMs - nearMs && each <= atMs + nearMs).length;
      return near < number - before - 1 ? [{ service, first: before + 1, last: number - 1 }] : [];
    });
  });
  expect(expected.length).toBeGreaterThan(100);
  const named = await found();
  expect(named).toHaveLength(100);
  for (const service of services) {
    const own = named.filter((gap) => gap.service === service);
    expect(own).toEqual(expected.filter((gap) => gap.service === service).slice(0, own.length));
  }
});
