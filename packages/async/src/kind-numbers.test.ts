import { expect, test } from "vitest";
import { KindNumbers } from "./kind-numbers.ts";

interface Item {
  readonly user: string;
  readonly model: number;
}

function openNumbers() {
  const keys: string[] = [];
  class ItemKinds extends KindNumbers<Item> {
    protected override groupOf({ user }: Item): string {
      return user;
    }

    protected override isOfKind(item: Item, first: Item): boolean {
      return item.user === first.user && item.model === first.model;
    }

    protected override keyOf({ user, model }: Item): string {
      keys.push(`${user} ${model}`);
      return `${user} ${model}`;
    }
  }
  return { numbers: new ItemKinds(), keys };
}

test("items of a kind have its number, in the order of the first items", () => {
  const { numbers } = openNumbers();
  const items = [1, 2, 1, 3, 2].map((model) => ({ user: "ann", model }));
  expect(items.map((item) => numbers.numberOf(item))).toEqual([1, 2, 1, 3, 2]);
  expect(numbers.firsts).toEqual([items[0], items[1], items[3]]);
});

test("a key is built for the first item of a kind, and for kinds beyond those compared", () => {
  const { numbers, keys } = openNumbers();
  const items = Array.from({ length: 12 }, (_, model) => ({ user: "ann", model }));
  const first = items.map((item) => numbers.numberOf(item));
  expect(keys).toHaveLength(12);
  expect(items.map((item) => numbers.numberOf({ ...item }))).toEqual(first);
  expect(keys).toHaveLength(16);
});

test("kinds of other groups are not compared", () => {
  const { numbers } = openNumbers();
  expect(numbers.numberOf({ user: "ann", model: 1 })).toBe(1);
  expect(numbers.numberOf({ user: "bob", model: 1 })).toBe(2);
  expect(numbers.numberOf({ user: "ann", model: 1 })).toBe(1);
});
