import fc from "fast-check";
import { expect, test } from "vitest";
import { ArraySet } from "./array-set.ts";
import { oldSpaceGrowth } from "./testing.ts";

test("it has the members of a Set after any sequence of additions and deletions", () => {
  const steps = fc.array(fc.tuple(fc.nat(6), fc.boolean()), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (taken) => {
      const all = Array.from({ length: 7 }, (_, id) => ({ id }));
      const [set, model] = [new ArraySet<object>(), new Set<object>()];
      for (const [id, comes] of taken) {
        const member = all[id] ?? {};
        if (comes) {
          set.add(member);
          model.add(member);
        } else expect(set.delete(member)).toBe(model.delete(member));
        expect(new Set(set.members())).toEqual(model);
        expect(set.size).toBe(model.size);
        expect(all.map((one) => set.has(one))).toEqual(all.map((one) => model.has(one)));
      }
    }),
  );
});

test("members can be deleted during an iteration over the members", () => {
  const set = new ArraySet<{ id: number }>();
  for (let id = 0; id < 5; id += 1) set.add({ id });
  const seen = set.members().map((member) => [set.delete(member), member.id]);
  expect(seen).toEqual([0, 1, 2, 3, 4].map((id) => [true, id]));
  expect(set.size).toBe(0);
});

test("deleted members are not held by earlier storage of the set", () => {
  const set = new ArraySet<{ parts: object[] }>();
  const live: { parts: object[] }[] = [];
  const come = () => {
    const member = { parts: Array.from({ length: 50 }, () => ({})) };
    set.add(member);
    live.push(member);
  };
  for (let made = 0; made < 4; made += 1) come();
  // The set and its members are promoted to the old space.
  for (let made = 0; made < 1_000_000; made += 1) live.at(made % 4)?.parts.splice(0, 1, { made });
  // 200 MB in all, which a Map would promote to the old space, up to the next full collection.
  const growth = oldSpaceGrowth(100_000, () => {
    come();
    const left = live.length > 8 ? live.shift() : undefined;
    if (left !== undefined) set.delete(left);
  });
  expect(growth).toBeLessThan(10e6);
});
