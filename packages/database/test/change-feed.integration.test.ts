import { readFile } from "node:fs/promises";
import { lapse } from "@gatehouse/async/testing";
import { startTestProxy } from "@gatehouse/ports/testing";
import { Secret } from "@gatehouse/vault";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ChangeFeed, type OpenDatabase } from "../src/index.ts";
import { createWorld, log, type World } from "./test-world.ts";

let world: World;
const feeds: ChangeFeed[] = [];

beforeAll(async () => (world = await createWorld()));
afterEach(async () => void (await Promise.all(feeds.splice(0).map(async (feed) => await feed.stop()))));
afterAll(async () => await world.close());

/** A replica with a separate pool and feed, which Postgres cannot tell from another process. */
async function startReplica(options: { readonly schema?: string } = {}) {
  const database = world.open(options);
  const feed = new ChangeFeed(database, log);
  feeds.push(feed);
  const heard: string[] = [];
  const unsubscribe = feed.subscribe({ onChange: (payload) => heard.push(payload), onGap: () => heard.push("(gap)") });
  await feed.start();
  return { database, feed, heard, unsubscribe };
}

async function within(database: OpenDatabase, end: "COMMIT" | "ROLLBACK", work: (run: Runner) => Promise<void>) {
  const client = await database.pool.connect();
  await client.query("BEGIN");
  await work({ query: async (sql, values) => await client.query(sql, [...values]) });
  return async () => {
    await client.query(end);
    client.release();
  };
}

type Runner = Parameters<ChangeFeed["announce"]>[0];

/** Waits until a change announced now has arrived, and with it all earlier ones. */
async function settle({ database, feed, heard }: Awaited<ReturnType<typeof startReplica>>): Promise<string[]> {
  const mark = `mark ${performance.now()}`;
  await (
    await within(database, "COMMIT", async (run) => await feed.announce(run, mark))
  )();
  await expect.poll(() => heard, { timeout: 10_000 }).toContain(mark);
  return heard.filter((payload) => !payload.startsWith("mark"));
}

test("a change reaches every replica once its transaction has committed, and not before", async () => {
  const [one, two] = [await startReplica(), await startReplica()];
  const commit = await within(one.database, "COMMIT", async (run) => await one.feed.announce(run, "a"));
  await lapse(50, "nothing is heard of a transaction that is open");
  expect([...one.heard, ...two.heard]).toEqual([]);
  await commit();
  expect(await settle(two)).toEqual(["a"]);
  expect(await settle(one)).toEqual(["a"]);
});

test("a message reaches every replica, also after a listener that throws, and none that listens for changes", async () => {
  const [one, two] = [await startReplica(), await startReplica()];
  const told: string[] = [];
  for (const { feed } of [one, two]) {
    feed.hear(() => {
      throw new Error("It cannot be read.");
    });
    feed.hear((text) => told.push(text));
  }
  await one.feed.tell("hello");
  await expect.poll(() => told).toEqual(["hello", "hello"]);
  expect([...(await settle(one)), ...(await settle(two))]).toEqual([]);
});

test("a change that is rolled back reaches no listener", async () => {
  const [one, two] = [await startReplica(), await startReplica()];
  await (
    await within(one.database, "ROLLBACK", async (run) => await one.feed.announce(run, "a"))
  )();
  expect(await settle(two)).toEqual([]);
});

test("changes arrive in the order of their commits", async () => {
  const [one, two] = [await startReplica(), await startReplica()];
  for (const payload of ["a", "b", "c", "d"]) {
    await (
      await within(one.database, "COMMIT", async (run) => await one.feed.announce(run, payload))
    )();
  }
  expect(await settle(two)).toEqual(["a", "b", "c", "d"]);
});

test("services with different schemas do not get each other's changes", async () => {
  const [one, other] = [await startReplica(), await startReplica({ schema: "other_service" })];
  await (
    await within(one.database, "COMMIT", async (run) => await one.feed.announce(run, "a"))
  )();
  await settle(one);
  expect(await settle(other)).toEqual([]);
});

test("a process can notify its own listeners at once, and an unsubscribed one gets nothing", async () => {
  const { feed, heard, unsubscribe } = await startReplica();
  feed.deliver("a");
  expect(heard).toEqual(["a"]);
  unsubscribe();
  feed.deliver("b");
  expect(heard).toEqual(["a"]);
});

test("a listener that throws does not affect others, and gets a gap", async () => {
  const { feed, heard } = await startReplica();
  const gaps: string[] = [];
  const onChange = () => {
    throw new Error("unreadable");
  };
  feed.subscribe({ onChange, onGap: () => gaps.push("(gap)") });
  const late: string[] = [];
  feed.subscribe({ onChange: (payload) => late.push(payload), onGap: () => late.push("(gap)") });
  feed.deliver("a");
  expect({ heard, gaps, late }).toEqual({ heard: ["a"], gaps: ["(gap)"], late: ["a"] });
});

test("a payload with quotes and other scripts arrives as it was, and one that is too long is refused", async () => {
  const replica = await startReplica();
  const payload = `it's "ü👋" \\ $1`;
  await (
    await within(replica.database, "COMMIT", async (run) => await replica.feed.announce(run, payload))
  )();
  expect(await settle(replica)).toEqual([payload]);
  await expect(replica.feed.announce(replica.database.pool, "x".repeat(8_000))).rejects.toThrow(RangeError);
  await replica.feed.announce(replica.database.pool, "x".repeat(7_999));
});

test("a lost connection is restored, and listeners are notified of the gap", async () => {
  const replica = await startReplica();
  await terminateListeners(replica.database);
  await expect.poll(() => replica.heard, { timeout: 10_000 }).toContain("(gap)");
  expect(await settle(replica)).toEqual(["(gap)"]);
  await terminateListeners(replica.database);
  await expect.poll(() => replica.heard.filter((payload) => payload === "(gap)"), { timeout: 10_000 }).toHaveLength(2);
});

test("a feed that is stopped while it reconnects stays stopped, and leaves no connection", async () => {
  const database = world.open();
  const reconnecting = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  let connects = 0;
  const slow: OpenDatabase = {
    ...database,
    async connectAlone() {
      if (connects++ > 0) {
        reconnecting.resolve();
        await stopped.promise;
      }
      return await database.connectAlone();
    },
  };
  const feed = new ChangeFeed(slow, log);
  const heard: string[] = [];
  feed.subscribe({ onChange: (payload) => heard.push(payload), onGap: () => heard.push("(gap)") });
  await feed.start();
  await terminateListeners(database);
  await reconnecting.promise;
  await feed.stop();
  stopped.resolve();
  await expect.poll(async () => await listenerCount(database)).toBe(0);
  await lapse(400, "no listener connects again, and nothing is heard");
  expect({ heard, connects }).toEqual({ heard: [], connects: 2 });
  expect(await listenerCount(database)).toBe(0);
});

test("a feed that cannot start throws and leaves no connection", async () => {
  const database = world.open();
  const broken: OpenDatabase = {
    ...database,
    connectAlone: async () => {
      const client = await database.connectAlone();
      await client.query("SET search_path = nowhere");
      await client.query("BEGIN");
      await client.query("SELECT 1/0").catch(() => {});
      return client;
    },
  };
  const feed = new ChangeFeed(broken, log);
  await expect(feed.start()).rejects.toThrow("current transaction is aborted");
  await expect.poll(async () => await loneCount(database)).toBe(0);
});

async function terminateListeners({ pool }: OpenDatabase): Promise<void> {
  await pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'",
  );
}

async function listenerCount({ pool }: OpenDatabase): Promise<number | undefined> {
  const { rows } = await pool.query<{ count: number }>(
    "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'",
  );
  return rows[0]?.count;
}

/** Connections idle in a failed transaction. */
async function loneCount({ pool }: OpenDatabase): Promise<number | undefined> {
  const { rows } = await pool.query<{ count: number }>(
    "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction (aborted)'",
  );
  return rows[0]?.count;
}

/** Time until the system probes a connection that this process has opened to a port, milliseconds; none without a running timer. */
async function untilProbed(port: number): Promise<readonly number[]> {
  const lines = (await readFile("/proc/net/tcp", "utf8")).split("\n").map((line) => line.trim().split(/\s+/));
  const remote = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const keepAliveTimer = "02";
  // Addresses of both ends, state, queues, and the timer with its rest in hundredths of a second (proc_net_tcp.txt).
  return lines
    .filter(([, , to = "", , , timer = ""]) => to.endsWith(remote) && timer.startsWith(keepAliveTimer))
    .map(([, , , , , timer = ""]) => Number.parseInt(timer.slice(keepAliveTimer.length + 1), 16) * 10);
}

test.skipIf(process.platform !== "linux")(
  "an idle connection is probed every few seconds, so that a peer that has vanished is noticed, and no gateway forgets it",
  async () => {
    const url = new URL(world.url);
    const proxy = await startTestProxy(Number(url.port));
    url.port = String(proxy.port);
    const feed = new ChangeFeed(world.open({ url: new Secret(url.href) }), log);
    await feed.start();
    const probes = await untilProbed(proxy.port);
    expect(probes).toHaveLength(1);
    expect(probes[0]).toBeLessThanOrEqual(10_000);
    await feed.stop();
    await proxy.close();
  },
);
