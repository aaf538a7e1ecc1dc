import type { HeapProfiler } from "node:inspector";
import { Session } from "node:inspector/promises";

export interface TurnCount {
  readonly turns: number;
  stop(): void;
}

/** Counts the turns of the event loop until it is stopped. */
export function countTurns(): TurnCount {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  return {
    get turns() {
      return turns;
    },
    stop: () => clearImmediate(next),
  };
}

const sampledBytes = 4_096;

type HeapNode = HeapProfiler.SamplingHeapProfileNode;

function sizeOf({ selfSize, children }: HeapNode): number {
  return children.reduce((sum, child) => sum + sizeOf(child), selfSize);
}

/** Heap bytes that one run of the work allocates, garbage included. Runs it once before, to warm up. */
export async function heapBytesOf(work: () => unknown, rounds = 1): Promise<number> {
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
