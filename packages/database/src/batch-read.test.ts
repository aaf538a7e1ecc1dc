import { expect, test } from "vitest";
import { createBatchRead } from "./batch-read.ts";

function setUp(rows: Readonly<Record<string, string>>) {
  const batches: (readonly string[])[] = [];
  const read = createBatchRead<string, string>(async (keys) => {
    batches.push(keys);
    if (keys.includes("broken")) throw new Error("no answer");
    return keys.map((key) => rows[key]);
  });
  return { batches, read };
}

test("reads of one turn form one batch, and each gets its own row", async () => {
  const { batches, read } = setUp({ a: "1", b: "2" });
  expect(await Promise.all([read("a"), read("none"), read("b"), read("a")])).toEqual(["1", undefined, "2", "1"]);
  expect(batches).toEqual([["a", "none", "b", "a"]]);
});

test("later reads form a later batch, and a failure affects its own batch only", async () => {
  const { batches, read } = setUp({ a: "1" });
  await expect(Promise.all([read("a"), read("broken")])).rejects.toThrow("no answer");
  expect(await read("a")).toBe("1");
  expect(batches).toEqual([["a", "broken"], ["a"]]);
});

test("a batch has a bounded number of reads", async () => {
  const { batches, read } = setUp({ a: "1" });
  const rows = await Promise.all(Array.from({ length: 1_001 }, async () => await read("a")));
  expect(rows.every((row) => row === "1")).toBe(true);
  expect(batches.map(({ length }) => length)).toEqual([500, 500, 1]);
});
