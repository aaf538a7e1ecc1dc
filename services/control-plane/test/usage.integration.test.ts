import { lapse } from "@gatehouse/async/testing";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { createLogger } from "@gatehouse/telemetry";
import pg from "pg";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Usage } from "../src/store/usage.ts";

let database: TestDatabase;
let pool: pg.Pool;
let holder: pg.Client;
let usage: Usage;
let warnings: string[];

beforeEach(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url });
  holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query("CREATE TABLE access_tokens (id int PRIMARY KEY, last_used_at timestamptz)");
  await holder.query("INSERT INTO access_tokens VALUES (7, NULL)");
  warnings = [];
  const destination = { write: (line: string) => void warnings.push((JSON.parse(line) as { msg: string }).msg) };
  usage = new Usage("access_tokens", pool, createLogger({ service: "test", level: "warn", destination }));
  await holder.query("BEGIN");
  await holder.query("SELECT FROM access_tokens FOR UPDATE");
});

afterEach(async () => {
  await holder.end();
  await pool.end();
  await database.drop();
});

const at = new Date("2026-11-28T00:00:00Z");

/** Starts to write a use, and resolves with the backend that waits for the row. */
async function writeHeldUse(): Promise<number> {
  usage.record(7, at);
  void usage.flush();
  const waiting = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  const findPids = async () => (await pool.query<{ pid: number }>(waiting)).rows.map(({ pid }) => pid);
  await expect.poll(findPids).toHaveLength(1);
  return (await findPids())[0] ?? 0;
}

const writtenUse = async () => (await pool.query("SELECT last_used_at FROM access_tokens")).rows;

test("a stop waits for uses that are being written", async () => {
  await writeHeldUse();
  const order: string[] = [];
  const stopped = usage.stop().then(() => order.push("stopped"));
  await lapse(100, "a span in which the stop is not to end");
  order.push("unlocked");
  await holder.query("COMMIT");
  await stopped;
  expect(order).toEqual(["unlocked", "stopped"]);
  expect(await writtenUse()).toEqual([{ last_used_at: at }]);
});

test("a stop writes the rows that a write in progress fails to write", async () => {
  const pid = await writeHeldUse();
  const stopped = usage.stop();
  await pool.query("SELECT pg_terminate_backend($1)", [pid]);
  await holder.query("COMMIT");
  await stopped;
  expect(await writtenUse()).toEqual([{ last_used_at: at }]);
});

test("a stop says which uses are lost where the database is away", async () => {
  usage.record(7, at);
  vi.spyOn(pool, "query").mockRejectedValue(new Error("Connection terminated unexpectedly"));
  await usage.flush();
  await usage.stop();
  expect(warnings).toEqual([
    "Times of the last use of credentials could not be saved; trying again.",
    "Times of the last use of credentials could not be saved; they are lost, since the process stops.",
  ]);
});
