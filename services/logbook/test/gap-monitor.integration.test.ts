import { lapse } from "@gatehouse/async/testing";
import type { OpenDatabase } from "@gatehouse/database";
import { createSilentTelemetry, type Telemetry } from "@gatehouse/telemetry";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGapMetrics } from "../src/metrics.ts";
import { claimSearch, endSearch, giveUpSearch, readSearch } from "../src/store/gap-search.ts";
import { GapMonitor, gapMonitorBounds } from "../src/workers/gap-monitor.ts";
import {
  type LogbookHarness,
  type LogbookReplica,
  lockNumbers,
  newEvent,
  openHarness,
  toAuditMessage,
} from "./harness.ts";

const wait = { timeout: 20_000, interval: 20 };

let harness: LogbookHarness;
let replica: LogbookReplica;
let database: OpenDatabase;
beforeEach(async () => {
  harness = await openHarness();
  replica = await harness.startReplica();
  // Its first search, so that none of it comes between.
  await expect.poll(async () => await shown(replica.telemetry), wait).toEqual({ missing: {}, isComplete: 1 });
  database = harness.openPool();
});
afterEach(async () => await harness.stop());

async function shown({ metrics }: Telemetry) {
  const valuesOf = async (name: string) => (await metrics.getSingleMetric(name)?.get())?.values ?? [];
  const missing = await valuesOf("gatehouse_audit_events_missing");
  const [complete] = await valuesOf("gatehouse_audit_gap_search_complete");
  return {
    missing: Object.fromEntries(missing.map(({ labels, value }) => [labels["service"], value])),
    isComplete: complete?.value,
  };
}

/** Stores events with these numbers of chat, a minute ago. */
async function store(...numbers: readonly number[]): Promise<void> {
  const events = numbers.map((number) => newEvent({ source: { service: "chat", number } }));
  await replica.events.publish("audit", events.map(toAuditMessage));
  await harness.sql("ALTER TABLE audit_numbers DISABLE TRIGGER audit_numbers_is_append_only");
  await harness.sql("UPDATE audit_numbers SET stored_at = stored_at - interval '1 minute'");
}

/** A replica's watch, for which a search is always due. */
function openMonitor(changes: Partial<Record<keyof typeof gapMonitorBounds, number>> = {}) {
  const telemetry = createSilentTelemetry();
  const { log, metrics } = telemetry;
  const bounds = { searchIntervalMs: 0, restFactor: 0, ...changes };
  const watch = new GapMonitor(database, createGapMetrics(metrics), log, bounds);
  return { watch, show: async () => await shown(telemetry) };
}

const searchWaits = async () =>
  await harness.sql(
    `SELECT 1 FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%WITH numbered%' AND pid <> pg_backend_pid()`,
  );

test("a gap is in the metrics and the readiness of a logbook, which stays ready", async () => {
  await store(1, 3, 7);
  await harness.sql("DELETE FROM audit_gap_search");
  const { service, telemetry } = await harness.startReplica();
  await expect.poll(async () => await shown(telemetry), wait).toEqual({ missing: { chat: 4 }, isComplete: 1 });
  expect(await service.readiness()).toEqual({
    ready: true,
    problems: ["4 audit events of chat are not in the log: gatehouse audit verify names them"],
  });
});

test("only one of concurrent replicas searches, and again after the interval", async () => {
  await harness.sql("DELETE FROM audit_gap_search");
  const claims = async (searchIntervalMs: number) => {
    const pace = { searchIntervalMs, restFactor: gapMonitorBounds.restFactor };
    const all = Array.from({ length: 8 }, async () => await claimSearch(database, pace));
    return (await Promise.all(all)).filter((turn) => turn !== undefined);
  };
  expect(await claims(60_000)).toHaveLength(1);
  expect(await claims(60_000)).toHaveLength(0);
  await harness.sql("UPDATE audit_gap_search SET begun_at = begun_at - interval '1 minute'");
  expect(await claims(60_000)).toHaveLength(1);
});

test("a long search is followed by a pause of twenty times its duration", async () => {
  await harness.sql(
    "UPDATE audit_gap_search SET begun_at = clock_timestamp() - interval '11 minutes', ended_at = clock_timestamp() - interval '10 minutes'",
  );
  const { searchIntervalMs, restFactor } = gapMonitorBounds;
  expect(await claimSearch(database, { searchIntervalMs, restFactor })).toBeUndefined();
  await harness.sql(
    "UPDATE audit_gap_search SET begun_at = begun_at - interval '10 minutes', ended_at = ended_at - interval '10 minutes'",
  );
  expect(await claimSearch(database, { searchIntervalMs, restFactor })).toBeDefined();
});

test("a search overtaken by another replica's changes nothing", async () => {
  await harness.sql("DELETE FROM audit_gap_search");
  const pace = { searchIntervalMs: 0, restFactor: 0 };
  const late = (await claimSearch(database, pace)) ?? expect.fail();
  await lapse(5, "the clock of two claims differs by a millisecond");
  const next = (await claimSearch(database, pace)) ?? expect.fail();
  await endSearch(database, next, new Map());
  await endSearch(database, late, new Map([["chat", 9]]));
  await giveUpSearch(database, late);
  expect(await readSearch(database, gapMonitorBounds)).toEqual({ isComplete: true, missing: new Map() });
});

test("a replica shows another replica's results", async () => {
  await store(2);
  await openMonitor().watch.look();
  await harness.sql("UPDATE audit_gap_search SET begun_at = clock_timestamp()");
  const release = await lockNumbers(database);
  try {
    const { telemetry } = await harness.startReplica();
    await expect.poll(async () => await shown(telemetry), wait).toEqual({ missing: { chat: 1 }, isComplete: 1 });
  } finally {
    await release();
  }
});

test("a closed gap is not missing any more", async () => {
  const { watch, show } = openMonitor();
  await store(1, 3);
  await watch.look();
  expect(await show()).toEqual({ missing: { chat: 1 }, isComplete: 1 });
  await store(2);
  await watch.look();
  expect(await show()).toEqual({ missing: {}, isComplete: 1 });
  expect(watch.notices()).toEqual([]);
});

test("a search that reaches its bound is incomplete, and earlier gaps stay missing", async () => {
  await store(2);
  const { watch, show } = openMonitor({ searchTimeoutMs: 100 });
  await watch.look();
  const release = await lockNumbers(database);
  try {
    await watch.look();
    expect(await show()).toEqual({ missing: { chat: 1 }, isComplete: 0 });
  } finally {
    await release();
  }
  await watch.look();
  expect(await show()).toEqual({ missing: { chat: 1 }, isComplete: 1 });
});

test("the last search is incomplete after three intervals without another", async () => {
  const age = `interval '${gapMonitorBounds.searchAgeMaxMs} milliseconds'`;
  await harness.sql(`UPDATE audit_gap_search SET ended_at = clock_timestamp() - ${age}`);
  const { watch, show } = openMonitor({ searchIntervalMs: gapMonitorBounds.searchIntervalMs });
  await watch.look();
  expect(await show()).toEqual({ missing: {}, isComplete: 0 });
  await harness.sql("UPDATE audit_gap_search SET ended_at = ended_at + interval '1 minute'");
  await watch.look();
  expect(await show()).toEqual({ missing: {}, isComplete: 1 });
});

test("a search ends with its process, before its bound", async () => {
  const { watch } = openMonitor({ searchTimeoutMs: 600_000 });
  const release = await lockNumbers(database);
  try {
    watch.start();
    await expect.poll(searchWaits, wait).toHaveLength(1);
    await watch.stop();
    expect(await searchWaits()).toEqual([]);
  } finally {
    await release();
  }
});
