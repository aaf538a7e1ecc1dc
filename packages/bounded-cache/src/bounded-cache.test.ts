import fc from "fast-check";
import { expect, test } from "vitest";
import { BoundedCache } from "./bounded-cache.ts";

test("keeps the most recently used entries, as many as its bound", () => {
  const steps = fc.array(
    fc.record({ key: fc.integer({ min: 0, max: 9 }), kind: fc.constantFrom("set", "get", "delete") }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), steps, (entriesMax, given) => {
      const cache = new BoundedCache<number, number>(entriesMax);
      // Insertion order is the order of use.
      const model = new Map<number, number>();
      for (const [at, { key, kind }] of given.entries()) {
        const known = model.get(key);
        if (kind === "get") expect(cache.get(key)).toBe(known);
        else if (kind === "delete") expect(cache.delete(key)).toBe(known !== undefined);
        else cache.set(key, at);
        const value = kind === "set" ? at : known;
        model.delete(key);
        if (kind !== "delete" && value !== undefined) model.set(key, value);
        const [oldest] = model.keys();
        if (model.size > entriesMax && oldest !== undefined) model.delete(oldest);
        expect([...cache.entries()].toReversed()).toEqual([...model]);
      }
    }),
  );
});

test("reports removed entries: replaced, deleted and evicted", () => {
  const left: string[] = [];
  const cache = new BoundedCache<string, number>(2, { onRemoved: (value, key) => void left.push(`${key}=${value}`) });
  cache.set("a", 1).set("a", 2).set("b", 3).set("c", 4).delete("b");
  expect(left).toEqual(["a=1", "a=2", "b=3"]);
  expect([...cache.keys()]).toEqual(["c"]);
});

test("holds entries of different sizes up to its bound, and none larger than it", () => {
  const cache = new BoundedCache<string, string>(10, { sizeOf: (value) => value.length });
  cache.set("a", "12345").set("b", "12345").set("c", "1");
  expect([...cache.keys()]).toEqual(["c", "b"]);
  cache.set("d", "12345678901");
  expect([...cache.keys()]).toEqual(["c", "b"]);
});

test("allocates no memory for a bound that is not reached", () => {
  // A table of that length cannot be allocated.
  const cache = new BoundedCache<string, number>(2 ** 40);
  expect(cache.set("a", 1).get("a")).toBe(1);
});
