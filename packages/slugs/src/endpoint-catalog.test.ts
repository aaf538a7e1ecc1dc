import { expect, test } from "vitest";
import { EndpointCatalog } from "./endpoint-catalog.ts";

const away = new Error("the store is away");

function setup() {
  const world = { now: 0, loads: 0, fail: undefined as Error | undefined, gate: Promise.resolve() };
  const catalog = new EndpointCatalog(
    async () => {
      const load = ++world.loads;
      await world.gate;
      if (world.fail !== undefined) throw world.fail;
      return `load ${load}`;
    },
    () => world.now,
    (err) => err === away,
  );
  const find = async () => await catalog.find("p", "s");
  return { world, catalog, find };
}

test("concurrent callers share one load, and the next answer is synchronous", async () => {
  const { world, catalog, find } = setup();
  expect(await Promise.all([find(), find(), find()])).toEqual(["load 1", "load 1", "load 1"]);
  expect(catalog.find("p", "s")).not.toBeInstanceOf(Promise);
  expect(world.loads).toBe(1);
});

test("an answer is renewed in the background, and never returned when older than 5 s", async () => {
  const { world, find } = setup();
  await find();
  world.now = 3_000;
  expect(await find()).toBe("load 1");
  await new Promise(setImmediate);
  expect(await find()).toBe("load 2");
  world.now = 8_000;
  expect(await find()).toBe("load 3");
});

test("a change during a load makes the next caller load again", async () => {
  const { world, catalog, find } = setup();
  let open = () => {};
  world.gate = new Promise((resolve) => (open = () => resolve()));
  const early = find();
  catalog.forget({ projectUuid: "p", slug: "s" });
  open();
  await early;
  expect(await find()).toBe("load 2");
});

test("an older answer is returned while the store is away, within its bound", async () => {
  const { world, find } = setup();
  await find();
  world.fail = away;
  world.now = 60_000;
  expect(await find()).toBe("load 1");
  world.now = 11 * 60_000;
  await expect(find()).rejects.toBe(away);
});

test("a failed first load is not cached", async () => {
  const { world, find } = setup();
  world.fail = away;
  await expect(find()).rejects.toBe(away);
  world.fail = undefined;
  expect(await find()).toBe("load 2");
});

test("a name that is not a slug is absent without a look-up", () => {
  const { world, catalog } = setup();
  const names = ["", "A", "a_b", "a\0b", "x".repeat(64), "x".repeat(4_000_000)];
  expect(names.map((name) => catalog.find("p", name))).toEqual(names.map(() => undefined));
  expect(world.loads).toBe(0);
});
