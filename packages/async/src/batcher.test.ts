import { expect, test } from "vitest";
import { Batcher } from "./batcher.ts";

test("items submitted in one turn form one batch, and each gets its own answer", async () => {
  const groups: (readonly number[])[] = [];
  const batcher = new Batcher<number, number>(
    async (items) => {
      groups.push(items);
      return await Promise.resolve(items.map((item) => item * 2));
    },
    { sizeMax: 10, concurrencyMax: 1 },
  );
  expect(await Promise.all([1, 2, 3].map(async (item) => await batcher.submit(item)))).toEqual([2, 4, 6]);
  expect(groups).toEqual([[1, 2, 3]]);
});

test("items submitted during a statement wait for the next one", async () => {
  const groups: (readonly number[])[] = [];
  const gate = Promise.withResolvers<void>();
  const batcher = new Batcher<number, number>(
    async (items) => {
      groups.push(items);
      if (groups.length === 1) await gate.promise;
      return items;
    },
    { sizeMax: 2, concurrencyMax: 1 },
  );
  const first = batcher.submit(1);
  await new Promise((resolve) => setImmediate(resolve));
  const rest = [2, 3, 4].map(async (item) => await batcher.submit(item));
  gate.resolve();
  await Promise.all([first, ...rest]);
  expect(groups).toEqual([[1], [2, 3], [4]]);
});

test("a statement that fails rejects its items, and the next one runs", async () => {
  let fails = true;
  const batcher = new Batcher<number, number>(
    async (items) => {
      if (fails) throw new Error("no");
      return await Promise.resolve(items);
    },
    { sizeMax: 10, concurrencyMax: 2 },
  );
  await expect(batcher.submit(1)).rejects.toThrow("no");
  fails = false;
  expect(await batcher.submit(2)).toBe(2);
});

test("a refused item is rejected alone, within a number of statements that grows with the logarithm", async () => {
  let statements = 0;
  const batcher = new Batcher<number, number>(
    async (items) => {
      statements += 1;
      if (items.includes(300)) throw new RangeError("refused");
      return await Promise.resolve(items.map((item) => item * 2));
    },
    { sizeMax: 500, concurrencyMax: 1, isRefusal: (err) => err instanceof RangeError },
  );
  const settled = await Promise.allSettled(Array.from({ length: 500 }, async (_, at) => await batcher.submit(at)));
  expect(settled[300]).toMatchObject({ status: "rejected" });
  expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(499);
  expect(settled[499]).toEqual({ status: "fulfilled", value: 998 });
  expect(statements).toBeLessThan(20);
});
