import { expect, test } from "vitest";
import { freeListsPerMinute, FreeLists } from "./free-lists.ts";

test("each token has a number of free lists per minute", () => {
  let nowMs = 30_000;
  const lists = new FreeLists(() => nowMs);
  const takeAll = (tokenId: number) => {
    let free = 0;
    while (lists.take(tokenId)) free += 1;
    return free;
  };
  expect([takeAll(1), takeAll(1), takeAll(2)]).toEqual([freeListsPerMinute, 0, freeListsPerMinute]);
  nowMs = 60_000;
  expect(takeAll(1)).toBe(freeListsPerMinute);
});

test("the number of counted tokens is bounded, and lists of further tokens are not free", () => {
  const lists = new FreeLists(() => 0);
  let free = 0;
  for (let tokenId = 0; tokenId < 200_000; tokenId += 1) if (lists.take(tokenId)) free += 1;
  expect(free).toBe(100_000);
});
