import { type HeapProfiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import { expect, test } from "vitest";
import { parseJsonInSlices } from "./parse-json.ts";

const sampledBytes = 4_096;
const rounds = 4;

type Node = HeapProfiler.SamplingHeapProfileNode;

function sizeOf({ selfSize, children }: Node): number {
  return children.reduce((sum, child) => sum + sizeOf(child), selfSize);
}

/** Bytes that one run of the work takes of the heap, those that are garbage by now included. */
async function bytesTakenBy(work: () => unknown): Promise<number> {
  const session = new Session();
  session.connect();
  await work();
  const all = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
  await session.post("HeapProfiler.startSampling", { samplingInterval: sampledBytes, ...all });
  for (let round = 0; round < rounds; round += 1) await work();
  const { profile } = await session.post("HeapProfiler.stopSampling");
  session.disconnect();
  return sizeOf(profile.head) / rounds;
}

const items = (make: (at: number) => string, count: number) =>
  Array.from({ length: count }, (_, at) => make(at)).join();

test.each([
  ["many objects", `{"list":[${items((at) => `{"a":${at}}`, 70_000)}]}`],
  ["many messages", `{"list":[${items(() => '{"role":"user","content":"a@b.co 4111 1111 1111 1111"}', 9_000)}]}`],
])("of %s, slices take a few times as much of the heap as the value itself, garbage included", async (_name, text) => {
  const atOnce = await bytesTakenBy(() => JSON.parse(text) as unknown);
  const inSlices = await bytesTakenBy(async () => await parseJsonInSlices(text));
  expect(inSlices / atOnce).toBeLessThan(4);
});
