import { createHash, randomUUID } from "node:crypto";
import { createLogger } from "@gatehouse/telemetry";
import type pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { OpenDatabase } from "../src/index.ts";
import { applyMigrations } from "../src/migrations.ts";
import { createWorld, log, type World } from "./test-world.ts";

let world: World;

beforeAll(async () => (world = await createWorld()));
afterAll(async () => await world.close());

const openFresh = (options: object = {}) => world.open({ schema: `s${randomUUID().slice(0, 8)}`, ...options });

const first = "CREATE TABLE items (id integer PRIMARY KEY);";
const second = "ALTER TABLE items ADD COLUMN name text;";

async function appliedIn({ pool }: OpenDatabase): Promise<unknown[]> {
  const { rows } = await pool.query<{ migration_name: string }>(
    "SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY started_at, migration_name",
  );
  return rows.map((row) => row.migration_name);
}

test("a fresh database gets its schema and every migration, in the order of their names", async () => {
  const database = openFresh();
  await database.migrate(await world.migrations({ "2_second": second, "1_first": first }));
  expect(await appliedIn(database)).toEqual(["1_first", "2_second"]);
  await database.pool.query("INSERT INTO items (id, name) VALUES (1, 'a')");
  const { rows } = await database.pool.query(
    "SELECT table_schema FROM information_schema.tables WHERE table_name = 'items' AND table_schema = current_schema()",
  );
  expect(rows).toEqual([{ table_schema: database.schema }]);
});

test("the bookkeeping is Prisma's: one row with the file's SHA-256, one step, and the time", async () => {
  const database = openFresh();
  await database.migrate(await world.migrations({ "1_first": first }));
  const { rows } = await database.pool.query(
    "SELECT checksum, applied_steps_count, rolled_back_at, logs, finished_at >= started_at AS ended FROM _prisma_migrations",
  );
  const checksum = createHash("sha256").update(first).digest("hex");
  expect(rows).toEqual([{ checksum, applied_steps_count: 1, rolled_back_at: null, logs: null, ended: true }]);
});

test("migrating again does nothing, and a new migration is added to the others", async () => {
  const database = openFresh();
  const folder = await world.migrations({ "1_first": first });
  await database.migrate(folder);
  await database.migrate(folder);
  expect(await appliedIn(database)).toEqual(["1_first"]);
  await database.migrate(await world.migrations({ "1_first": first, "2_second": second }));
  expect(await appliedIn(database)).toEqual(["1_first", "2_second"]);
});

test("processes that start at once apply each migration once, and all succeed", async () => {
  const schema = `s${randomUUID().slice(0, 8)}`;
  const databases = Array.from({ length: 5 }, () => world.open({ schema }));
  const folder = await world.migrations({ "1_first": `SELECT pg_sleep(0.2); ${first}`, "2_second": second });
  await Promise.all(databases.map(async (database) => await database.migrate(folder)));
  const [database] = databases;
  expect(database && (await appliedIn(database))).toEqual(["1_first", "2_second"]);
});

test("a service waits for another one's long migration, beyond the bound on locks of tables, and reports it", async () => {
  const [slow, next] = [openFresh(), openFresh()];
  const holder = await slow.connectAlone();
  const other = await slow.connectAlone();
  const waiting = await next.connectAlone();
  try {
    await holder.query("SELECT pg_advisory_lock(1)");
    const held = await world.migrations({ "1_held": `SELECT pg_advisory_lock(1); ${first}` });
    const long = applyMigrations(other, held, [], { schema: slow.schema, log });
    await vi.waitUntil(async () => await isWaiting(holder, slow), { timeout: 30_000 });
    const lines: string[] = [];
    const heard = createLogger({ service: "test", level: "info", destination: { write: (line) => lines.push(line) } });
    await waiting.query("SET lock_timeout = 50");
    const folder = await world.migrations({
      "1_bound": `CREATE TABLE seen AS SELECT current_setting('lock_timeout') AS bound`,
    });
    const after = applyMigrations(waiting, folder, [], { schema: next.schema, log: heard, lockTimeoutMs: 50 });
    await vi.waitUntil(async () => await isWaiting(holder, next), { timeout: 30_000 });
    // Longer than the bound on statements.
    await holder.query("SELECT pg_sleep(0.2)");
    await holder.query("SELECT pg_advisory_unlock(1)");
    await long;
    await other.end();
    await after;
    expect((await next.pool.query("SELECT bound FROM seen")).rows).toEqual([{ bound: "50ms" }]);
    expect(lines.join("")).toContain("Migrations wait for those of another process or service");
  } finally {
    await Promise.all([holder, other, waiting].map(async (client) => await client.end().catch(() => {})));
  }
});

/** Whether a connection of this schema waits for an advisory lock. */
async function isWaiting(client: Pick<pg.Client, "query">, { schema }: OpenDatabase): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND NOT granted AND application_name = $1`,
    [`gatehouse-${schema}`],
  );
  return rows.length > 0;
}

test("an applied migration that was edited since is refused, by name", async () => {
  const database = openFresh();
  await database.migrate(await world.migrations({ "1_first": first }));
  await expect(database.migrate(await world.migrations({ "1_first": `${first} -- edited` }))).rejects.toThrow(
    "Migration 1_first was changed after it had been applied; add a new migration instead.",
  );
});

test("a migration that fails is rolled back, keeps earlier ones, and can be fixed", async () => {
  const database = openFresh();
  const broken = "CREATE TABLE half (id integer); INSERT INTO half VALUES ('no number');";
  await expect(database.migrate(await world.migrations({ "1_first": first, "2_half": broken }))).rejects.toThrow(
    /^Migration 2_half failed: invalid input syntax/,
  );
  expect(await appliedIn(database)).toEqual(["1_first"]);
  await expect(database.pool.query("SELECT FROM half")).rejects.toMatchObject({ code: "42P01" });
  await database.migrate(await world.migrations({ "1_first": first, "2_half": "CREATE TABLE half (id integer);" }));
  expect(await appliedIn(database)).toEqual(["1_first", "2_half"]);
});

test("a migration whose bookkeeping fails is rolled back too", async () => {
  const database = openFresh();
  const sql = "CREATE TABLE made (id integer); ALTER TABLE _prisma_migrations RENAME TO lost;";
  await expect(database.migrate(await world.migrations({ "1_lost": sql }))).rejects.toThrow("Migration 1_lost failed");
  await expect(database.pool.query("SELECT FROM made")).rejects.toMatchObject({ code: "42P01" });
  expect(await appliedIn(database)).toEqual([]);
});

test("another process can migrate after one that failed", async () => {
  const database = openFresh();
  const other = world.open({ schema: database.schema });
  await expect(database.migrate(await world.migrations({ "1_bad": "SELECT 1/0;" }))).rejects.toThrow("1_bad");
  await other.migrate(await world.migrations({ "1_bad": first }));
  expect(await appliedIn(other)).toEqual(["1_bad"]);
});

test("a semicolon inside a string, a comment or a function body ends no statement", async () => {
  const database = openFresh();
  const sql = `
    -- a comment; with a semicolon
    CREATE TABLE notes (text text DEFAULT 'a;b');
    CREATE FUNCTION add_note() RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO notes DEFAULT VALUES;
      IF true THEN INSERT INTO notes VALUES ('c;d'); END IF;
    END;
    $$;
    SELECT add_note();`;
  await database.migrate(await world.migrations({ "1_function": sql }));
  expect((await database.pool.query("SELECT text FROM notes ORDER BY text")).rows).toEqual([
    { text: "a;b" },
    { text: "c;d" },
  ]);
});

test("a migration is not held to the bound on statements, and its settings reach no other connection", async () => {
  const database = openFresh({ connectionsMax: 1 });
  const sql =
    "CREATE TABLE seen AS SELECT current_setting('statement_timeout') AS bound; SET statement_timeout = '7s';";
  await database.migrate(await world.migrations({ "1_slow": sql }));
  expect((await database.pool.query("SELECT bound FROM seen")).rows).toEqual([{ bound: "0" }]);
  expect((await database.pool.query("SHOW statement_timeout")).rows).toEqual([{ statement_timeout: "30s" }]);
});

test("migrating uses no connection of the pool and leaves none open", async () => {
  const database = openFresh({ connectionsMax: 1 });
  const held = await database.pool.connect();
  await database.migrate(await world.migrations({ "1_first": first }));
  held.release();
  const { rows } = await database.pool.query<{ count: number }>(
    "SELECT count(*)::int FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()",
    [`gatehouse-${database.schema}`],
  );
  expect(rows).toEqual([{ count: 0 }]);
});
