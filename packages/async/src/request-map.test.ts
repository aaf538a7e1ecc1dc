import fc from "fast-check";
import { expect, test } from "vitest";
import { RequestMap } from "./request-map.ts";
import { oldSpaceGrowth } from "./testing.ts";

test("it has the entries of a Map after any sequence of additions and deletions", () => {
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
        expect(map.values()).toEqual([...model.values()]);
        expect([map.size, map.has(key)]).toEqual([model.size, model.has(key)]);
      }
    }),
  );
});

test("values of deleted entries are not held", () => {
  const map = new RequestMap<number, { parts: object[] }>();
  const come = (id: number) => map.set(id, { parts: Array.from({ length: 50 }, () => ({})) });
  for (let id = 0; id < 4; id += 1) come(id);
  // The map and its entries are promoted to the old space.
  for (let made = 0; made < 1_000_000; made += 1) map.get(made % 4)?.parts.splice(0, 1, { made });
  // 200 MB in all, which a Map would promote to the old space, up to the next full collection.
  const growth = oldSpaceGrowth(100_000, (round) => {
    come(round + 4);
    map.take(round - 4);
  });
  expect(growth).toBeLessThan(20e6);
});
