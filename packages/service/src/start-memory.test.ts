import { getHeapSpaceStatistics } from "node:v8";
import { expect, test } from "vitest";
import { releaseStartMemory } from "./start-memory.ts";

const mebibyte = 2 ** 20;

/** Bytes that V8 holds for young objects, whether used or not. */
function youngBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  return space?.physical_space_size ?? 0;
}

/** Makes V8 grow the space for young objects: many of them outlive a collection of it. */
function makeGarbage(): number {
  let kept: object[] = [];
  for (let count = 0; count < 2_000_000; count += 1) {
    if (count % 200_000 === 0) kept = [];
    kept.push({ count });
  }
  return kept.length;
}

test("the space for young objects that the start has grown is given back", () => {
  makeGarbage();
  const grown = youngBytes();
  releaseStartMemory();
  expect(grown).toBeGreaterThan(4 * mebibyte);
  expect(youngBytes()).toBeLessThan(2 * mebibyte);
});
