import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OutboxKernel, Store } from "../src/index.ts";
import {
  createServiceWorld,
  createThingClient,
  type ServiceWorld,
  type ThingClient,
  type ThingTransaction,
} from "./service-world.ts";

type ThingStore = Store<ThingClient, ThingTransaction, string>;

let world: ServiceWorld;
let store: ThingStore;
let kernel: OutboxKernel;
const heard: string[] = [];

beforeAll(async () => {
  world = await createServiceWorld();
  const service = world.create((given) => {
    kernel = given;
    kernel.feed.subscribe({ onChange: (payload) => heard.push(payload), onGap: () => heard.push("(gap)") });
    store = kernel.openStore(
      () => createThingClient(kernel.database.pool),
      (name) => name,
    );
    return {};
  });
  await service.start();
});
afterAll(async () => await world.stop());

const { signal: patient } = new AbortController();
const callOf = (key = randomBytes(32), signal = patient) => ({ operation: "make", key, arguments: { a: 1 }, signal });

async function create(name: string): Promise<void> {
  await store.write(async ({ thing }) => {
    await thing.create(name);
    return { result: undefined, changes: [name], events: [] };
  });
}

const things = async () => await store.read(async ({ thing }) => await thing.findMany());

test("writes of a call commit with its answer, and its own reads see them before", async () => {
  const call = callOf();
  const [written, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answer = store.answerOnce(call, async (commit) =>
    commit(async () => {
      await create("one");
      await create("two");
      written.resolve();
      await goOn.promise;
      return { seen: await things() };
    }),
  );
  await written.promise;
  expect(await things()).toEqual([]);
  expect(heard).toEqual([]);
  goOn.resolve();
  expect(await answer).toEqual({ seen: ["one", "two"] });
  expect(await things()).toEqual(["one", "two"]);
  // Both by this process at once, and by the database.
  expect([...new Set(heard)]).toEqual(["one", "two"]);
  const again = await store.answerOnce(call, async () => await Promise.reject(new Error("made again")));
  expect(again).toEqual({ seen: ["one", "two"] });
});

test("a call that fails after a write leaves nothing behind, and its key is free", async () => {
  const call = callOf();
  const failing = store.answerOnce(call, async (commit) =>
    commit(async () => {
      await create("never");
      throw new Error("the answer cannot be made");
    }),
  );
  await expect(failing).rejects.toThrow("the answer cannot be made");
  expect(await things()).not.toContain("never");
  expect(heard).not.toContain("never");
  const other = { ...call, arguments: { a: 2 } };
  expect(await store.answerOnce(other, async (commit) => await commit(async () => ({ b: 1 })))).toEqual({ b: 1 });
});

test("a call waits for a running one with its key, and is refused once its caller has left", async () => {
  const key = randomBytes(32);
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = store.answerOnce(callOf(key), async (commit) =>
    commit(async () => {
      begun.resolve();
      await goOn.promise;
      return { made: 1 };
    }),
  );
  await begun.promise;
  const never = async () => await Promise.reject(new Error("made twice"));
  const left = new AbortController();
  const impatient = store.answerOnce(callOf(key, left.signal), never);
  const waiting = store.answerOnce(callOf(key), never);
  left.abort();
  await expect(impatient).rejects.toThrow("is still running");
  goOn.resolve();
  expect(await Promise.all([first, waiting])).toEqual([{ made: 1 }, { made: 1 }]);
});

test("hand-written statements are refused in a call with a key", async () => {
  const byHand = store.answerOnce(callOf(), async (commit) =>
    commit(async () => ({ result: await store.writeSql(async () => ({ result: 1, changes: [], events: [] })) })),
  );
  await expect(byHand).rejects.toThrow("by `write` alone");
});

test("expired answers are removed", async () => {
  const { pool } = kernel.database;
  await pool.query(`INSERT INTO answered_calls (id, fingerprint, sealed_answer, expires_at)
    SELECT 'old ' || n, '', '', clock_timestamp() - interval '1 second' FROM generate_series(1, 1500) AS n`);
  await world.create(() => ({})).start();
  const left = async () => (await pool.query("SELECT 1 FROM answered_calls WHERE id LIKE 'old %'")).rowCount;
  await expect.poll(left, { timeout: 10_000 }).toBe(0);
  expect((await pool.query("SELECT 1 FROM answered_calls")).rowCount).toBeGreaterThan(0);
});
