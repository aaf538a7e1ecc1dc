import { expect, test } from "vitest";
import { gatewayLogBounds as bounds } from "./bounds.ts";
import type { GatewayLogEntry } from "./gateway-log-entry.ts";
import { countEntries, LogQueue } from "./log-queue.ts";

const entry = (index: number, error?: string): GatewayLogEntry => {
  return { atMs: index, requestId: `r${index}`, route: "chat_direct", status: 200, durationMs: 1, error };
};
const idsOf = (bodies: readonly { readonly body: string }[]) =>
  bodies.flatMap(({ body }) => (JSON.parse(body) as { request_id: string }[]).map((each) => each.request_id));

test("entries leave in order, in batches with a bounded number", () => {
  const queue = new LogQueue();
  const ids = Array.from({ length: bounds.batchEntriesMax + 1 }, (_, index) => `r${index}`);
  ids.forEach((_, index) => queue.add(entry(index)));
  queue.seal();
  const batches = queue.take(10);
  expect(batches.map(({ entries }) => entries)).toEqual([bounds.batchEntriesMax, 1]);
  expect(idsOf(batches)).toEqual(ids);
  expect(queue.size).toBe(0);
});

test("a batch of long entries is bounded by its length", () => {
  const queue = new LogQueue();
  for (let index = 0; index < bounds.batchEntriesMax; index += 1) {
    queue.add({ ...entry(index, "x".repeat(500)), model: "m".repeat(500) });
  }
  queue.seal();
  const batches = queue.take(10);
  expect(batches.length).toBeGreaterThan(1);
  expect(batches.length).toBeLessThan(10);
  for (const { body } of batches) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(bounds.batchBytesMax);
});

test("a batch that is given back keeps its id, and its place before newer ones", () => {
  const queue = new LogQueue();
  queue.add(entry(1));
  queue.seal();
  const first = queue.take(1);
  queue.add(entry(2));
  queue.seal();
  queue.giveBack(first);
  const both = queue.take(2);
  expect(both[0]).toBe(first[0]);
  expect(idsOf(both)).toEqual(["r1", "r2"]);
  expect(countEntries(both)).toBe(2);
});
