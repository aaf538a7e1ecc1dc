import { getHeapSpaceStatistics } from "node:v8";
import fc from "fast-check";
import { expect, test } from "vitest";
import { RequestMap } from "./request-map.ts";

test("it holds what a map holds, whatever comes and goes", () => {
  const steps = fc.array(fc.tuple(fc.nat(6), fc.boolean()), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (taken) => {
      const [map, model] = [new RequestMap<number, object>(), new Map<number, object>()];
      for (const [at, [key, comes]] of taken.entries()) {
        if (comes) {
          map.set(key, { at });
          model.set(key, { at });
        } else {
          expect(map.take(key)).toEqual(model.get(key));
          model.delete(key);
        }
        expect(map.keys()).toEqual([...model.keys()]);
        expect(map.keys().map((one) => map.get(one))).toEqual([...model.values()]);
        expect([map.size, map.has(key)]).toEqual([model.size, model.has(key)]);
      }
    }),
  );
});

/** Bytes of objects that have outlived two collections of young ones. */
function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space")?.space_used_size ?? 0;
}

test("the values of entries that have left are no longer held", () => {
  const map = new RequestMap<number, { parts: object[] }>();
  const come = (id: number) => map.set(id, { parts: Array.from({ length: 50 }, () => ({})) });
  for (let id = 0; id < 4; id += 1) come(id);
  // The map and its entries become old.
  for (let made = 0; made < 1_000_000; made += 1) map.get(made % 4)?.parts.splice(0, 1, { made });
  const before = oldBytes();
  let most = 0;
  // 200 MB in all, which a Map carries into the old space, up to the next full collection.
  for (let id = 4; id < 100_000; id += 1) {
    come(id);
    map.take(id - 8);
    if (id % 1_000 === 0) most = Math.max(most, oldBytes() - before);
  }
  expect(most).toBeLessThan(20e6);
});
