import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { initKeys } from "@gatehouse/keys";
import { createTestDatabase } from "@gatehouse/postgres/testing";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runMigrateCommand } from "../src/migrate-command.ts";
import { migratedServices } from "../src/migrate-service.ts";

let folder: string;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
const services = join(import.meta.dirname, "../../../services");

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-roles-"));
  database = await createTestDatabase();
  const { host, pathname } = new URL(database.url);
  await initKeys({ folder, database: `${host}${pathname}`, nats: { listen: "127.0.0.1:1", storeFolder: folder } });
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

const read = async (...path: string[]) => (await readFile(join(folder, ...path), "utf8")).trim();

async function query(url: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

async function migrate(...args: string[]) {
  const lines: string[] = [];
  const note = (line: string) => void lines.push(line);
  const code = await runMigrateCommand(["--folder", folder, "--services", services, ...args], { out: note, err: note });
  return { code, text: lines.join("\n") };
}

test("each service has a role that migrates and one that reads and writes, both for its own schema", async () => {
  // The databases of a cluster share roles, whose passwords are those of the last script.
  await query(database.url, await read("postgres", "roles.sql"));
  expect(await migrate()).toMatchObject({ code: 0 });
  expect(await migrate()).toMatchObject({ code: 0 });
  const { rows } = await query(
    database.url,
    "SELECT DISTINCT schemaname FROM pg_tables WHERE tableowner LIKE 'gatehouse_%_owner'",
  );
  expect(rows.map(({ schemaname }) => schemaname as string).toSorted()).toEqual(
    migratedServices.map((name) => name.replaceAll("-", "_")).toSorted(),
  );
  const guardrail = await read("guardrail", "database-url");
  const count = "SELECT count(*)::int AS count FROM guardrail.audit_outbox";
  expect((await query(guardrail, count)).rows).toEqual([{ count: 0 }]);
  await query(guardrail, "INSERT INTO guardrail.audit_outbox (event_id, body) VALUES (gen_random_uuid(), '{}')");
  expect((await query(guardrail, count)).rows).toEqual([{ count: 1 }]);
  for (const forbidden of [
    "CREATE TABLE guardrail.more ()",
    "ALTER TABLE guardrail.audit_outbox ADD COLUMN more text",
    "DROP TABLE guardrail.audit_outbox",
    "TRUNCATE guardrail.audit_outbox",
    "CREATE SCHEMA more",
    "SELECT 1 FROM chat.endpoints",
  ])
    await expect(query(guardrail, forbidden), forbidden).rejects.toMatchObject({ code: "42501" });
});

test("the logbook's running role creates and drops partitions, and nothing else", async () => {
  await query(database.url, await read("postgres", "roles.sql"));
  expect(await migrate("logbook")).toMatchObject({ code: 0 });
  const logbook = await read("logbook", "database-url");
  await query(logbook, "SELECT logbook.make_gateway_log_partition('2031-02-28')");
  const partitions = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'gateway_log_p2031%'";
  expect((await query(logbook, partitions)).rows).toEqual([{ relname: "gateway_log_p20310228" }]);
  await query(logbook, "INSERT INTO logbook.gateway_log_batches (id) VALUES ('b')").catch(() => undefined);
  await query(logbook, "SELECT logbook.drop_gateway_log_partition('2031-02-28')");
  expect((await query(logbook, partitions)).rows).toEqual([]);
  await expect(query(logbook, "DROP TABLE logbook.gateway_log")).rejects.toMatchObject({ code: "42501" });
});

test.each([
  [["nobody"], "nobody"],
  [["--wrong"], "Usage"],
])("%j is refused", async (args, expected) => {
  expect(await migrate(...args)).toMatchObject({ code: 1, text: expect.stringContaining(expected) });
});

test("a folder without keys is reported", async () => {
  const lines: string[] = [];
  const err = (line: string) => void lines.push(line);
  expect(await runMigrateCommand(["--folder", "/nowhere"], { out: () => {}, err })).toBe(1);
  expect(lines.join()).toMatch(
    /^[a-z-]+: \/nowhere\/migration\/[a-z-]+ is absent\. Make keys with: gatehouse keys init\./u,
  );
});
