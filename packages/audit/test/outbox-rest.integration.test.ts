import { setTimeout as delay } from "node:timers/promises";
import type { OpenDatabase } from "@gatehouse/database";
import type { Pool, QueryConfig } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createOutboxWorld, eventually, newEvent, type OutboxWorld } from "./outbox-world.ts";

let world: OutboxWorld;
beforeEach(async () => (world = await createOutboxWorld()));
afterEach(async () => await world.close());

/** The database, with the names of the statements sent to its pool. */
function watchedDatabase(): { readonly database: OpenDatabase; readonly statements: string[] } {
  const statements: string[] = [];
  const { database } = world;
  const query = async (statement: string | QueryConfig, values?: unknown[]) => {
    statements.push(typeof statement === "string" ? statement : (statement.name ?? statement.text));
    return await database.pool.query(statement, values);
  };
  const pool = Object.create(database.pool, { query: { value: query } }) as Pool;
  return { database: { ...database, pool }, statements };
}

const bounds = { pollIntervalMs: 10, sweepIntervalMs: 10, measureIntervalMs: 10, confirmDelayMs: 1 };

test("an idle outbox runs one statement a poll, and counts nothing while no event waits", async () => {
  const { transport } = world;
  const { database, statements } = watchedDatabase();
  const relay = world.startRelay(transport, { bounds, database });
  await world.record(newEvent("before"));
  await eventually(async () => expect((await world.rows())[0]?.confirmed_at).toBeInstanceOf(Date));
  await eventually(() => expect(relay.backlogs().map(({ count }) => count)).toEqual([0, 0]));
  const isLook = (statement: string) => statement === "audit-outbox-look";
  // A round that began while the event waited may still count it.
  await eventually(() => {
    expect(statements.length).toBeGreaterThanOrEqual(10);
    expect(statements.slice(-10).every(isLook)).toBe(true);
  });
  statements.length = 0;
  await eventually(() => expect(statements.length).toBeGreaterThanOrEqual(10));
  expect(statements.filter((statement) => !isLook(statement))).toEqual([]);
});

test("resting relays of a process look together, whenever they were started", async () => {
  const looks: number[][] = [];
  for (const startAfterMs of [0, 170]) {
    await delay(startAfterMs);
    const { database } = world;
    const at: number[] = [];
    looks.push(at);
    const query = async (statement: QueryConfig) => {
      at.push(performance.now());
      return await database.pool.query(statement);
    };
    const pool = Object.create(database.pool, { query: { value: query } }) as Pool;
    world.startRelay(world.transport, { bounds: { pollIntervalMs: 400 }, database: { ...database, pool } });
  }
  await eventually(() => expect(Math.min(...looks.map((at) => at.length))).toBeGreaterThanOrEqual(4));
  const [first = [], second = []] = looks;
  // The first look of each is at its start.
  const distances = second.slice(1).map((look) => Math.min(...first.map((other) => Math.abs(look - other))));
  expect(Math.min(...distances)).toBeLessThan(20);
});

test("an event that waits for its confirmation is counted and reported, until it is confirmed", async () => {
  const { transport } = world;
  // Every event is late at once, and is published again only by the test.
  const relay = world.startRelay(transport, { bounds: { ...bounds, lateAfterMs: -60_000, republishAfterMs: 60_000 } });
  await eventually(() => expect(relay.backlogs()).toHaveLength(2));
  expect(relay.problems()).toEqual([]);
  transport.silent.add("logbook");
  await world.record(newEvent("kept from the logbook"));
  await eventually(() => expect(relay.backlogs().map(({ count }) => count)).toEqual([0, 1]));
  await eventually(() =>
    expect(relay.problems()).toEqual([expect.stringMatching(/^1 audit events are not stored yet/u)]),
  );
  transport.silent.clear();
  await world.database.pool.query("UPDATE audit_outbox SET republish_at = now()");
  await eventually(() => expect(relay.backlogs().map(({ count }) => count)).toEqual([0, 0]));
  expect(relay.problems()).toEqual([]);
});

test("an event that cannot be sent is counted and reported, until it is sent", async () => {
  const { transport } = world;
  transport.isBlocked = true;
  const relay = world.startRelay(transport, { bounds: { ...bounds, lateAfterMs: -1 } });
  await world.record(newEvent("kept in the outbox"));
  await eventually(() => expect(relay.backlogs().map(({ count }) => count)).toEqual([1, 0]));
  await eventually(() =>
    expect(relay.problems()).toEqual([expect.stringMatching(/^1 audit events wait to be published/u)]),
  );
  transport.isBlocked = false;
  await eventually(() => expect(relay.backlogs().map(({ count }) => count)).toEqual([0, 0]));
  expect(relay.problems()).toEqual([]);
});
