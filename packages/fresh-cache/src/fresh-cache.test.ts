import { expect, test } from "vitest";
import { FreshCache } from "./fresh-cache.ts";

const away = new Error("the store is away");

function setup() {
  const world = { now: 0, loads: 0, fail: undefined as Error | undefined, gate: Promise.resolve() };
  const previous: (string | undefined)[] = [];
  const cache = new FreshCache<string, string>({
    nameOf: (key) => key,
    now: () => world.now,
    isUnavailable: (err) => err === away,
    async load(key, before) {
      const load = ++world.loads;
      previous.push(before);
      await world.gate;
      if (world.fail !== undefined) throw world.fail;
      return `${key} ${load}`;
    },
  });
  return { world, cache, previous };
}

test("concurrent callers share one load, and the next answer is synchronous", async () => {
  const { world, cache } = setup();
  expect(await Promise.all([cache.find("a"), cache.find("a"), cache.find("b")])).toEqual(["a 1", "a 1", "b 2"]);
  expect(cache.find("a")).toBe("a 1");
  expect(world.loads).toBe(2);
});

test("an answer is renewed in the background, and never returned when older than 5 s", async () => {
  const { world, cache, previous } = setup();
  await cache.find("a");
  world.now = 3_000;
  expect(cache.find("a")).toBe("a 1");
  await new Promise(setImmediate);
  expect(cache.find("a")).toBe("a 2");
  world.now = 8_000;
  expect(await cache.find("a")).toBe("a 3");
  expect(previous).toEqual([undefined, "a 1", "a 2"]);
});

test("a change during a load makes the next caller load again", async () => {
  const { world, cache } = setup();
  let open = () => {};
  world.gate = new Promise((resolve) => (open = () => resolve()));
  const early = cache.find("a");
  cache.forget("a");
  const late = cache.find("a");
  open();
  expect(await early).toBe("a 1");
  expect(await late).toBe("a 2");
  expect(cache.find("a")).toBe("a 2");
});

test("a change of one key does not keep another from being renewed", async () => {
  const { world, cache } = setup();
  await cache.find("a");
  world.now = 3_000;
  expect(cache.find("a")).toBe("a 1");
  cache.forget("b");
  await new Promise(setImmediate);
  expect(cache.find("a")).toBe("a 2");
});

test("expired answers are loaded again before they are returned, also those under way", async () => {
  const { world, cache } = setup();
  await cache.find("a");
  world.now = 3_000;
  expect(cache.find("a")).toBe("a 1");
  cache.expireAll();
  expect(await cache.find("a")).toBe("a 3");
  expect(cache.find("a")).toBe("a 3");
});

test("an expired answer is returned while the store is away, and loaded again once it is back", async () => {
  const { world, cache } = setup();
  await cache.find("a");
  world.fail = away;
  world.now = 6_000;
  await cache.find("a");
  cache.expireAll();
  expect(await cache.find("a")).toBe("a 1");
  expect(cache.find("a")).toBe("a 1");
  expect(world.loads).toBe(3);
  world.fail = undefined;
  world.now = 7_001;
  cache.expireAll();
  expect(await cache.find("a")).toBe("a 4");
  world.fail = away;
  cache.forgetAll();
  await expect(cache.find("a")).rejects.toBe(away);
});

test("an older answer is returned while the store is away, within its bound", async () => {
  const { world, cache } = setup();
  await cache.find("a");
  world.fail = away;
  world.now = 60_000;
  expect(await cache.find("a")).toBe("a 1");
  world.now = 11 * 60_000;
  await expect(cache.find("a")).rejects.toBe(away);
});

test("a failed first load is not cached, and forgetting all loads everything again", async () => {
  const { world, cache } = setup();
  world.fail = away;
  await expect(cache.find("a")).rejects.toBe(away);
  world.fail = undefined;
  expect(await cache.find("a")).toBe("a 2");
  cache.forgetAll();
  expect(await cache.find("a")).toBe("a 3");
});

test("answers of absence evict no other answers, and are limited in number", async () => {
  let loads = 0;
  const cache = new FreshCache<string, string | undefined>({
    nameOf: (key) => key,
    now: () => 0,
    isUnavailable: () => false,
    load: async (key) => await Promise.resolve((loads += 1) && key.startsWith("known") ? key : undefined),
  });
  expect(await cache.find("known")).toBe("known");
  for (let index = 0; index < 30_000; index += 1) await cache.find(`guess ${index}`);
  expect(cache.find("known")).toBe("known");
  expect(loads).toBe(30_001);
  // The newest guesses are remembered, the oldest are not.
  expect(cache.find("guess 29999")).toBeUndefined();
  expect(cache.find("guess 0")).toBeInstanceOf(Promise);
});

test("a value that was absent is found after its change", async () => {
  let value: string | undefined;
  const load = async () => await Promise.resolve(value);
  const cache = new FreshCache<string, string | undefined>({
    nameOf: (key) => key,
    now: () => 0,
    isUnavailable: () => false,
    load,
  });
  expect(await cache.find("a")).toBeUndefined();
  expect(cache.find("a")).toBeUndefined();
  value = "there";
  cache.forget("a");
  expect(await cache.find("a")).toBe("there");
  value = undefined;
  cache.forget("a");
  expect(await cache.find("a")).toBeUndefined();
});

test("an answer under a long name is returned and not cached", async () => {
  const { world, cache } = setup();
  const name = "x".repeat(1_000);
  expect(await cache.find(name)).toBe(`${name} 1`);
  expect(await cache.find(name)).toBe(`${name} 2`);
  expect(world.loads).toBe(2);
});

test("only the first caller waits for a silent store, and all get the older answer", async () => {
  const { world, cache } = setup();
  await cache.find("a");
  let giveUp = () => {};
  world.gate = new Promise((_, reject) => (giveUp = () => reject(away)));
  world.now = 6_000;
  const first = cache.find("a");
  expect(first).toBeInstanceOf(Promise);
  giveUp();
  expect(await first).toBe("a 1");
  for (const now of [6_001, 6_999]) {
    world.now = now;
    expect(cache.find("a")).toBe("a 1");
  }
  expect(world.loads).toBe(2);
  world.gate = Promise.resolve();
  world.now = 7_001;
  expect(cache.find("a")).toBe("a 1");
  await new Promise(setImmediate);
  expect(cache.find("a")).toBe("a 3");
});

test("a load that hangs holds up only the callers of its first seconds, and its late answer is not kept", async () => {
  const { world, cache } = setup();
  let open = () => {};
  world.gate = new Promise((resolve) => (open = () => resolve()));
  const early = cache.find("a");
  world.gate = Promise.resolve();
  world.now = 2_500;
  expect(await cache.find("a")).toBe("a 2");
  open();
  expect(await early).toBe("a 1");
  expect(cache.find("a")).toBe("a 2");
});

test("a load from before an expiry that finds the store away does not keep an expired answer", async () => {
  const { world, cache } = setup();
  await cache.find("a");
  let giveUp = () => {};
  world.gate = new Promise((_, reject) => (giveUp = () => reject(away)));
  world.now = 3_000;
  expect(cache.find("a")).toBe("a 1");
  cache.expireAll();
  giveUp();
  await new Promise(setImmediate);
  world.gate = Promise.resolve();
  expect(await cache.find("a")).toBe("a 3");
});

test("a store is waited for again some seconds after its outage", async () => {
  const { world, cache } = setup();
  await cache.find("a");
  world.fail = away;
  world.now = 6_000;
  await cache.find("a");
  world.fail = undefined;
  world.now = 11_001;
  expect(await cache.find("a")).toBe("a 3");
});
