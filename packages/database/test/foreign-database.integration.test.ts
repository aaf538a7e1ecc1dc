import { replaceDatabase } from "@gatehouse/postgres/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ChangeFeed, findDatabaseProblems, isDatabaseUnavailable, type OpenDatabase, reading } from "../src/index.ts";
import { createWorld, log, type World } from "./test-world.ts";

let world: World;
let migrations: URL;
beforeAll(async () => {
  world = await createWorld();
  migrations = await world.migrations({ "20260101000000_things": "CREATE TABLE things (id int PRIMARY KEY)" });
});
afterAll(async () => await world.close());

async function openMigrated(): Promise<OpenDatabase> {
  const database = world.open();
  await database.migrate(migrations);
  return database;
}

const read = async ({ pool }: OpenDatabase) => await reading(async () => await pool.query("SELECT FROM things"));

test.each([
  ["empty", /^The server at DATABASE_URL has no tables of this service \(schema service\)\. Bring .* back/],
  ["none", /^The server at DATABASE_URL refuses the role or the database \(3D000\)\. Bring .* back/],
] as const)(
  "a database that is replaced (by: %s) is unavailable for that reason, until it is back",
  async (by, reason) => {
    const database = await openMigrated();
    await read(database);
    const bringBack = await replaceDatabase(world.url, by);
    const detail = expect.stringMatching(reason) as string;
    await expect
      .poll(async () => await read(database).catch((err: unknown) => err))
      .toMatchObject({ code: "unavailable", retryAfterSeconds: 1, details: { detail } });
    expect(await findDatabaseProblems(database)).toEqual(["the database is not available", detail]);
    expect(isDatabaseUnavailable(await database.connectAlone().catch((err: unknown) => err))).toBe(true);
    if (by === "empty") {
      const { rows } = await world.open({ schema: "public" }).pool.query("SELECT to_regnamespace('service') AS schema");
      expect(rows).toEqual([{ schema: null }]);
    }
    await bringBack();
    await expect.poll(async () => (await read(database).catch(() => ({ rows: undefined }))).rows).toEqual([]);
    expect(await findDatabaseProblems(database)).toEqual([]);
  },
);

test("listeners keep what they know while another database answers, and read again when theirs is back", async () => {
  const database = await openMigrated();
  const feed = new ChangeFeed(database, log);
  let gaps = 0;
  feed.subscribe({ onChange: () => {}, onGap: () => void (gaps += 1) });
  await feed.start();
  const bringBack = await replaceDatabase(world.url, "empty");
  await expect.poll(async () => (await findDatabaseProblems(database)).join()).toMatch(/no tables/);
  expect(gaps).toBe(0);
  await bringBack();
  await expect.poll(() => gaps, { timeout: 5_000 }).toBe(1);
  await feed.stop();
});

test("a process that has not found its tables yet gets the errors of Postgres, which its start explains", async () => {
  const bringBack = await replaceDatabase(world.url, "none");
  const err: unknown = await world
    .open()
    .migrate(migrations)
    .catch((thrown: unknown) => thrown);
  expect(err).toMatchObject({ code: "3D000" });
  await bringBack();
});
