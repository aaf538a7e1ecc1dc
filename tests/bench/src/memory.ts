import { memoryBytesOf, readUsage, type ProcessGroup } from "./process-usage.ts";

/** Resident memory of a system before some work, and its peak during it. */
export interface MemoryGrowth {
  readonly beforeBytes: number;
  readonly peakBytes: number;
}

const sampleEveryMs = 50;

/** Watches a system's memory while `work` runs; undefined where memory cannot be read. */
export async function watchMemory(
  group: ProcessGroup,
  work: () => Promise<unknown>,
): Promise<MemoryGrowth | undefined> {
  const read = () => {
    const usage = readUsage(group);
    return usage && memoryBytesOf(usage);
  };
  const beforeBytes = read();
  let peakBytes = beforeBytes ?? 0;
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, read() ?? 0);
  }, sampleEveryMs);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return beforeBytes === undefined ? undefined : { beforeBytes, peakBytes };
}
