import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { initKeys } from "@gatehouse/keys";
import { createTestDatabase } from "@gatehouse/postgres/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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

describe("a refusal migrates nothing:", () => {
  let empty: Awaited<ReturnType<typeof createTestDatabase>>;
  let keys: string;
  beforeAll(async () => {
    empty = await createTestDatabase();
    keys = join(folder, "of-an-empty-database");
    const { host, pathname } = new URL(empty.url);
    await initKeys({
      folder: keys,
      database: `${host}${pathname}`,
      nats: { listen: "127.0.0.1:1", storeFolder: keys },
    });
    await query(empty.url, await readFile(join(keys, "postgres", "roles.sql"), "utf8"));
  });
  afterAll(async () => await empty.drop());

  async function expectNothing() {
    const { rows } = await query(
      empty.url,
      "SELECT tablename FROM pg_tables WHERE tableowner LIKE 'gatehouse_%_owner'",
    );
    expect(rows).toEqual([]);
  }

  test.each([
    ["an unknown service", ["guardrail", "nobody"], /^No service with a database: nobody\./u],
    ["an unknown option", ["guardrail", "--wrong"], /^Usage/u],
  ])("%s", async (_name, args, expected) => {
    const refused = await migrate("--folder", keys, ...args);
    expect(refused).toMatchObject({ code: 1, text: expect.stringMatching(expected) as string });
    await expectNothing();
  });

  test("a service without keys, although the others have theirs", async () => {
    const absent = join(keys, "migration", "webhook-dispatcher");
    await rm(absent);
    const { code, text } = await migrate("--folder", keys);
    expect(code).toBe(1);
    expect(text).toMatch(/^webhook-dispatcher: .+ is absent\. Make keys with: gatehouse keys init\./u);
    expect(text).toContain(absent);
    await expectNothing();
  });

  test("a folder without keys", async () => {
    const { code, text } = await migrate("--folder", "/nowhere");
    expect(code).toBe(1);
    expect(text).toMatch(/^[a-z-]+: \/nowhere\/migration\/[a-z-]+ is absent\. Make keys with: gatehouse keys init\./u);
    expect(text).not.toContain("up to date");
  });
});
