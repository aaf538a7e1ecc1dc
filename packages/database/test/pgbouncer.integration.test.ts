import { rm } from "node:fs/promises";
import { type PgBouncer, startPgBouncer, unpackPgBouncer } from "@gatehouse/postgres/testing";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWorld, type World } from "./test-world.ts";

const folder = await unpackPgBouncer();
if (folder === undefined) process.stderr.write("\n!!! No PgBouncer can be had: its tests are skipped.\n\n");

describe.skipIf(folder === undefined)("through PgBouncer", () => {
  let world: World;
  const poolers: PgBouncer[] = [];

  async function through(poolMode: "session" | "transaction") {
    const pooler = await startPgBouncer(folder ?? "", world.url, poolMode);
    poolers.push(pooler);
    return world.open({ url: new Secret(pooler.url), schema: `by_${poolMode}` });
  }

  beforeAll(async () => (world = await createWorld()));
  afterAll(async () => {
    await Promise.all(poolers.map(async (pooler) => await pooler.stop()));
    await world.close();
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  const migrations = async () => await world.migrations({ "1_a": "CREATE TABLE kept (id int)" });

  test("in session mode a service has its schema, its time zone and its notices", async () => {
    const database = await through("session");
    await database.migrate(await migrations());
    const shown = "SELECT current_schema() AS schema, current_setting('TimeZone') AS zone";
    const replies = await Promise.all(Array.from({ length: 8 }, async () => await database.pool.query(shown)));
    for (const { rows } of replies) expect(rows).toEqual([{ schema: "by_session", zone: "UTC" }]);
    await database.pool.query("INSERT INTO kept VALUES (1)");
    const listener = await database.connectAlone();
    const heard = new Promise((resolve) => listener.once("notification", ({ payload }) => resolve(payload)));
    await listener.query("LISTEN news");
    await database.pool.query("SELECT pg_notify('news', 'told')");
    expect(await heard).toBe("told");
    await listener.end();
  });

  test("in transaction mode a start is refused before anything is written", async () => {
    const database = await through("transaction");
    await expect(database.migrate(await migrations())).rejects.toThrow("pool_mode = session");
    const direct = world.open();
    const { rows } = await direct.pool.query("SELECT to_regnamespace('by_transaction') AS found");
    expect(rows).toEqual([{ found: null }]);
  });
});
