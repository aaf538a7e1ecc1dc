import { randomUUID } from "node:crypto";
import { type OpenDatabase, openDatabase } from "@gatehouse/database";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { deriveKeyring, Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEndpointLoader } from "../src/store/endpoint-loader.ts";

let testDatabase: TestDatabase;
let database: OpenDatabase;
const keyring = deriveKeyring(new Secret("x".repeat(32)), "test");

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const { log } = createSilentTelemetry();
  database = openDatabase({ url: new Secret(testDatabase.url), schema: "chat", connectionsMax: 2, log });
  await database.migrate(new URL("../prisma/migrations", import.meta.url));
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** A project's endpoints `a` and `b`, on a separate mock provider. */
async function setUp() {
  const provider = randomUUID();
  const projectUuid = randomUUID();
  await database.pool.query("INSERT INTO providers (name, kind) VALUES ($1, 'mock')", [provider]);
  for (const slug of ["a", "b"]) {
    await database.pool.query(
      "INSERT INTO endpoints (uuid, project_uuid, slug, targets) VALUES (gen_random_uuid(), $1, $2, $3)",
      [projectUuid, slug, JSON.stringify([{ provider, model: slug }])],
    );
  }
  const load = createEndpointLoader(database, keyring);
  return { provider, projectUuid, load, find: async (slug: string) => await load({ projectUuid, slug }, undefined) };
}

test("endpoints requested together each get their own answer, missing ones too", async () => {
  const { find, load } = await setUp();
  const found = await Promise.all([
    find("b"),
    find("none"),
    find("a"),
    load({ projectUuid: "not a uuid", slug: "a" }, undefined),
    find("a\0"),
  ]);
  expect(found.map((compiled) => compiled?.targets[0]?.target.model)).toEqual([
    "b",
    undefined,
    "a",
    undefined,
    undefined,
  ]);
});

test.each([
  ["the endpoint", "UPDATE endpoints SET description = 'new' WHERE project_uuid = $2::uuid AND $1::text <> ''"],
  ["its provider", "UPDATE providers SET enabled = false WHERE name = $1::text AND $2::text <> ''"],
])("an answer is given again until %s has changed", async (_what, change) => {
  const { provider, projectUuid, load } = await setUp();
  const key = { projectUuid, slug: "a" };
  const first = await load(key, undefined);
  expect(first).toBeDefined();
  expect(await load(key, first)).toBe(first);
  await database.pool.query(change, [provider, projectUuid]);
  const second = await load(key, first);
  expect(second).toBeDefined();
  expect(second).not.toBe(first);
});
