import { expect, test } from "vitest";
import { createAtMost } from "./at-most.ts";

test("no more than so many run at once, in the order in which they came, failed ones included", async () => {
  const atMost = createAtMost(2);
  const started: number[] = [];
  let [running, most] = [0, 0];
  const work = async (index: number) =>
    await atMost(async () => {
      started.push(index);
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (index % 3 === 0) throw new Error(`failed ${index}`);
      return index;
    });
  const outcomes = await Promise.allSettled(Array.from({ length: 9 }, async (_, index) => await work(index)));
  expect(most).toBe(2);
  expect(started).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(outcomes.map(({ status }) => status)).toEqual(
    Array.from({ length: 9 }, (_, index) => (index % 3 === 0 ? "rejected" : "fulfilled")),
  );
  await expect(work(10)).resolves.toBe(10);
});
