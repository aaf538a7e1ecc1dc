import { expect, test } from "vitest";
import type { CompiledEndpoint } from "../domain/endpoint.ts";
import { EndpointCatalog } from "./endpoint-catalog.ts";

const away = new Error("the store is away");

function setup() {
  const world = { now: 0, loads: 0, fail: undefined as Error | undefined, gate: Promise.resolve() };
  const catalog = new EndpointCatalog({
    now: () => world.now,
    isUnavailable: (err) => err === away,
    async load() {
      const load = ++world.loads;
      await world.gate;
      if (world.fail !== undefined) throw world.fail;
      return { endpoint: { slug: `load ${load}` }, targets: [] } as unknown as CompiledEndpoint;
    },
  });
  const slugOf = async () => (await catalog.find("p", "s"))?.endpoint.slug;
  return { world, catalog, slugOf };
}

test("callers who come together share one load, and the next is answered without a promise", async () => {
  const { world, catalog, slugOf } = setup();
  expect(await Promise.all([slugOf(), slugOf(), slugOf()])).toEqual(["load 1", "load 1", "load 1"]);
  expect(catalog.find("p", "s")).not.toBeInstanceOf(Promise);
  expect(world.loads).toBe(1);
});

test("an answer is renewed in the background first, and never given when older than 5 s", async () => {
  const { world, slugOf } = setup();
  await slugOf();
  world.now = 3_000;
  expect(await slugOf()).toBe("load 1");
  await new Promise(setImmediate);
  expect(await slugOf()).toBe("load 2");
  world.now = 8_000;
  expect(await slugOf()).toBe("load 3");
});

test("a change that comes during a load makes the next caller load again", async () => {
  const { world, catalog, slugOf } = setup();
  let open = () => {};
  world.gate = new Promise((resolve) => (open = () => resolve()));
  const early = slugOf();
  catalog.forget("p", "s");
  open();
  await early;
  expect(await slugOf()).toBe("load 2");
});

test("while the store is away an older answer is given, within its bound", async () => {
  const { world, slugOf } = setup();
  await slugOf();
  world.fail = away;
  world.now = 60_000;
  expect(await slugOf()).toBe("load 1");
  world.now = 11 * 60_000;
  await expect(slugOf()).rejects.toBe(away);
});

test("a failed first load is not kept", async () => {
  const { world, slugOf } = setup();
  world.fail = away;
  await expect(slugOf()).rejects.toBe(away);
  world.fail = undefined;
  expect(await slugOf()).toBe("load 2");
});

test("what is no slug is absent without a look-up", () => {
  const { world, catalog } = setup();
  const names = ["", "A", "a_b", "a\0b", "x".repeat(64), "x".repeat(4_000_000)];
  expect(names.map((name) => catalog.find("p", name))).toEqual(names.map(() => undefined));
  expect(world.loads).toBe(0);
});
