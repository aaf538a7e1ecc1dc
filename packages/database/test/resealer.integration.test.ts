import { randomUUID } from "node:crypto";
import { type Keyring, parseKeyring, seal, Secret, unseal } from "@gatehouse/vault";
import { Registry } from "prom-client";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createResealer, type OpenDatabase } from "../src/index.ts";
import { createWorld, log, type World } from "./test-world.ts";

const entryOf = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString("base64")}`;
const keyringOf = (...entries: string[]) => parseKeyring(new Secret(entries.join(",")));
const [first, second] = [entryOf("k1", 1), entryOf("k2", 2)];
const placeOf = (uuid: string) => `service.things/${uuid}`;

const metrics = new Registry();
const progress = async () => {
  const values = (await metrics.getSingleMetric("gatehouse_sealed_values")?.get())?.values ?? [];
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels["key"]), value]));
};
let world: World;
let database: OpenDatabase;

beforeAll(async () => {
  world = await createWorld();
  database = world.open();
  await database.pool.query("CREATE SCHEMA service");
  await database.pool.query("CREATE TABLE things (uuid uuid PRIMARY KEY, sealed text)");
});
beforeEach(async () => await database.pool.query("DELETE FROM things"));
afterAll(async () => await world.close());

async function store(keyring: Keyring, count: number): Promise<readonly string[]> {
  const uuids = Array.from({ length: count }, () => randomUUID());
  const values = uuids.map((uuid) => seal(keyring, new Secret(`secret of ${uuid}`), placeOf(uuid)));
  await database.pool.query("INSERT INTO things SELECT * FROM unnest($1::uuid[], $2::text[])", [uuids, values]);
  return uuids;
}

async function reseal(keyring: Keyring) {
  const columns = [{ table: "things", column: "sealed", placeOf }];
  return await createResealer(database, keyring, columns, { log, metrics }).run();
}

async function read(): Promise<readonly { readonly uuid: string; readonly sealed: string }[]> {
  return (await database.pool.query<{ uuid: string; sealed: string }>("SELECT * FROM things WHERE sealed <> ''")).rows;
}

test("after a rotation every value moves to the new key, and the old key can be removed", async () => {
  const uuids = await store(keyringOf(first), 250);
  await database.pool.query("INSERT INTO things VALUES ($1, NULL)", [randomUUID()]);
  expect(await reseal(keyringOf(second, first))).toEqual({ resealed: 250, unopened: 0 });
  expect(await progress()).toEqual({ current: 250, older: 0 });
  const rows = await read();
  expect(rows).toHaveLength(uuids.length);
  for (const { uuid, sealed } of rows) {
    expect(unseal(keyringOf(second), sealed, placeOf(uuid)).reveal()).toBe(`secret of ${uuid}`);
  }
  expect(await reseal(keyringOf(second, first))).toEqual({ resealed: 0, unopened: 0 });
});

test("values that no key opens are unchanged and reported", async () => {
  await store(keyringOf(first), 3);
  const before = await read();
  expect(await reseal(keyringOf(second))).toEqual({ resealed: 0, unopened: 3 });
  expect(await progress()).toEqual({ current: 0, older: 3 });
  expect(await read()).toEqual(before);
});

test("two concurrent processes seal each value once", async () => {
  await store(keyringOf(first), 250);
  const reports = await Promise.all([reseal(keyringOf(second, first)), reseal(keyringOf(second, first))]);
  expect(reports.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(250);
});

test("a rotation skips references to secrets, which are not sealed", async () => {
  await database.pool.query(
    "INSERT INTO things VALUES ($1, 'env:GATEHOUSE_SECRET_KEY'), ($2, 'file:/run/secrets/v1.k1')",
    [randomUUID(), randomUUID()],
  );
  expect(await reseal(keyringOf(second, first))).toEqual({ resealed: 0, unopened: 0 });
  expect(await progress()).toEqual({ current: 0, older: 0 });
});
