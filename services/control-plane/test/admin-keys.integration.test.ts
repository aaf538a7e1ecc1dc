import { createInProcessTransport } from "@gatehouse/events";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { hashToken } from "@gatehouse/principal";
import { createService } from "@gatehouse/service";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { Secret } from "@gatehouse/vault";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ControlPlaneStore, createControlPlaneStore } from "../src/store/control-plane-store.ts";
import { startControlPlane } from "./control-plane.ts";

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(async () => {
  await database.drop();
});

interface Outcome {
  readonly minted: readonly string[];
  /** Name of each requested key, or undefined. */
  readonly names: readonly (string | undefined)[];
}

/** Starts another control plane on the same database, and resolves each key. */
async function restart(environmentKey: string | undefined, asked: readonly string[] = []): Promise<Outcome> {
  const adminKey = environmentKey === undefined ? undefined : new Secret(environmentKey);
  const plane = await startControlPlane({ databaseUrl: database.url, config: { adminKey } });
  const names = await Promise.all(
    [...asked, ...plane.adminKeys].map(async (key) => {
      const request = { keyHash: hashToken(key), ipAddress: "127.0.0.1" };
      return (await plane.principals.resolveAdminKey(request)).adminKey?.name;
    }),
  );
  await plane.stop();
  return { minted: plane.adminKeys, names };
}

const sessions = { idleMs: 1, lifeMs: 1 };

/** A replica with an open store, not started. */
function openReplica() {
  const host = { telemetry: createSilentTelemetry(), events: createInProcessTransport() };
  const config = { databaseUrl: new Secret(database.url), databaseConnectionsMax: 2 };
  const migrations = new URL("../prisma/migrations", import.meta.url);
  const options = { name: "test", host, database: { config, schema: "control_plane", migrations } };
  const stores: ControlPlaneStore[] = [];
  let pool: { query(sql: string, values?: unknown[]): Promise<unknown> } | undefined;
  const service = createService({ ...options, outbox: true, feed: false }, (kernel) => {
    stores.push(createControlPlaneStore(kernel, sessions, Date.now));
    pool = kernel.database.pool;
    return {};
  });
  const [store] = stores;
  if (store === undefined || pool === undefined) throw new Error("The service was not built.");
  return { pool, store, stop: async () => await service.stop() };
}

const first = "svc_admin_0123456789";
const second = "svc_admin_9876543210";

test("the first start mints a key, and later ones do not", async () => {
  const { minted, names } = await restart(undefined);
  expect(minted).toEqual([expect.stringMatching(/^svc_admin_[0-9A-Za-z]{36}$/)]);
  expect(names).toEqual(["initial"]);
  expect(await restart(undefined, minted)).toEqual({ minted: [], names: ["initial"] });
});

test("a key from the environment is accepted, and none is minted", async () => {
  expect(await restart(first, [first, second])).toEqual({ minted: [], names: ["environment", undefined] });
});

test("a changed key takes the place of the old one", async () => {
  await restart(first);
  expect(await restart(second, [first, second])).toEqual({ minted: [], names: [undefined, "environment"] });
  expect(await restart(first, [first, second])).toEqual({ minted: [], names: ["environment", undefined] });
});

test("a key removed from the environment stops working, and one is minted if no other is left", async () => {
  await restart(first);
  const { minted, names } = await restart(undefined, [first]);
  expect(minted).toHaveLength(1);
  expect(names).toEqual([undefined, "initial"]);
});

test("the minted key is kept when one comes from the environment, and both may be equal", async () => {
  const { minted } = await restart(undefined);
  const [key = ""] = minted;
  expect(await restart(first, [first, key])).toEqual({ minted: [], names: ["environment", "initial"] });
  expect(await restart(key, [first, key])).toEqual({ minted: [], names: [undefined, "initial"] });
  expect(await restart(undefined, [key])).toEqual({ minted: [], names: ["initial"] });
});

test.each([
  ["environment", first],
  ["initial", undefined],
])("a key named %s with fewer rights becomes the gateway's own, with all rights", async (name, environmentKey) => {
  const { store, pool, stop } = openReplica();
  const insert =
    "INSERT INTO admin_keys (name, key_hash, role, gateway_wide, expires_at) VALUES ($1, $2, $3, $4, now())";
  await restart(first);
  await pool.query("DELETE FROM admin_keys");
  await pool.query(insert, [name, hashToken(first), "viewer", false]);
  const minted: Secret[] = [];
  const key = environmentKey === undefined ? undefined : new Secret(environmentKey);
  await store.reconcileAdminKeys({ key, isEnabled: true }, (made) => void minted.push(made));
  expect(minted).toHaveLength(environmentKey === undefined ? 1 : 0);
  const { items } = await store.adminKeys.list({ limit: 10 });
  expect(items).toMatchObject([{ name, role: "owner", projects: null, isActive: true, expiresAt: null }]);
  await stop();
});

test("a key that cannot be handed over is not stored, and the next start mints another", async () => {
  await restart(first);
  const { store, stop } = openReplica();
  const refuse = () => {
    throw new Error("The disk is full.");
  };
  await expect(store.reconcileAdminKeys({ key: undefined, isEnabled: true }, refuse)).rejects.toThrow(
    "The disk is full.",
  );
  await stop();
  const { minted, names } = await restart(undefined, [first]);
  expect(minted).toHaveLength(1);
  expect(names).toEqual([undefined, "initial"]);
});

test("replicas that start at once mint one key between them", async () => {
  const { minted } = await restart(first);
  expect(minted).toEqual([]);
  const replicas = Array.from({ length: 4 }, openReplica);
  // Connect first, so that the statements run concurrently.
  await Promise.all(replicas.map(async ({ pool }) => await pool.query("DELETE FROM admin_keys")));
  const keys: Secret[] = [];
  const onMinted = (key: Secret) => void keys.push(key);
  await Promise.all(
    replicas.map(async ({ store }) => await store.reconcileAdminKeys({ key: undefined, isEnabled: true }, onMinted)),
  );
  expect(keys).toHaveLength(1);
  for (const { stop } of replicas) await stop();
});
