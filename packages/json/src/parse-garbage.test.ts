import { heapBytesOf } from "@gatehouse/pace/testing";
import { expect, test } from "vitest";
import { parseJsonInSlices } from "./parse-json.ts";

const rounds = 4;

const items = (make: (at: number) => string, count: number) =>
  Array.from({ length: count }, (_, at) => make(at)).join();

test.each([
  ["many objects", `{"list":[${items((at) => `{"a":${at}}`, 70_000)}]}`],
  ["many messages", `{"list":[${items(() => '{"role":"user","content":"a@b.co 4111 1111 1111 1111"}', 9_000)}]}`],
])("for %s, a parse in slices uses at most four times the heap of one at once", async (_name, text) => {
  const atOnce = await heapBytesOf(() => JSON.parse(text) as unknown, rounds);
  const inSlices = await heapBytesOf(async () => await parseJsonInSlices(text), rounds);
  expect(inSlices / atOnce).toBeLessThan(4);
});
