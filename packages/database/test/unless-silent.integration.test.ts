import { type FreezablePostgres, startFreezablePostgres } from "@gatehouse/postgres/testing";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OpenDatabase, openDatabase, unlessSilent } from "../src/index.ts";

const { log } = createSilentTelemetry();
const connectionsMax = 2;
/** A margin for a busy machine. */
const busyMs = 1_000;

let postgres: FreezablePostgres;
let database: OpenDatabase;
beforeAll(async () => {
  postgres = await startFreezablePostgres();
  database = openDatabase({ url: new Secret(postgres.url), schema: "service", connectionsMax, log });
});
afterAll(async () => {
  await postgres.thaw();
  await database.close();
  await postgres.stop();
});

const sleep = async (seconds: number) =>
  await unlessSilent(
    database,
    async () => (await database.pool.query(`SELECT ${seconds} AS slept, pg_sleep(${seconds})`)).rows,
  );

async function refusal(): Promise<number> {
  const before = performance.now();
  await expect(sleep(0)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("may still be made") as string,
    retryAfterSeconds: 1,
  });
  return performance.now() - before;
}

test("slow statements of a server that answers go on, also where they hold all connections", async () => {
  const slept = await Promise.all(Array.from({ length: connectionsMax + 1 }, async () => await sleep(2)));
  expect(slept).toMatchObject([[{ slept: 2 }], [{ slept: 2 }], [{ slept: 2 }]]);
});

test("an error of the work is passed on", async () => {
  await expect(unlessSilent(database, async () => await database.pool.query("SELECT 1/0"))).rejects.toThrow("division");
});

test("a process that was busy itself does not take the server for silent", async () => {
  const isBusy = async () => {
    // The probe has begun, and its answer arrives meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 255));
    const untilMs = performance.now() + 2_000;
    while (performance.now() < untilMs);
    return (await database.pool.query("SELECT 1 AS one")).rows;
  };
  expect(await unlessSilent(database, isBusy)).toEqual([{ one: 1 }]);
});

test("a frozen server refuses a call within 2 s, later ones at once, and answers again when it is thawed", async () => {
  await postgres.freeze();
  expect(await refusal()).toBeLessThan(2_000 + busyMs);
  expect(await refusal()).toBeLessThan(busyMs);
  await postgres.thaw();
  await expect.poll(async () => await sleep(0), { timeout: 10_000 }).toMatchObject([{ slept: 0 }]);
});
