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
  statements.length = 0;
  await eventually(() => expect(statements.length).toBeGreaterThanOrEqual(10));
  expect(new Set(statements)).toEqual(new Set(["audit-outbox-look"]));
});

test("the backlog counts an event that waits, and is 0 again after its confirmation", async () => {
  const { transport } = world;
  const relay = world.startRelay(transport, { bounds: { ...bounds, lateAfterMs: 0 } });
  await eventually(() => expect(relay.backlogs()).toHaveLength(2));
  expect(relay.problems()).toEqual([]);
  transport.silent.add("logbook");
  await world.record(newEvent("kept from the logbook"));
  await eventually(() => expect(relay.backlogs().map(({ count }) => count)).toEqual([0, 1]));
  transport.silent.clear();
  await world.database.pool.query("UPDATE audit_outbox SET republish_at = now()");
  await eventually(() => expect(relay.backlogs().map(({ count }) => count)).toEqual([0, 0]));
});
