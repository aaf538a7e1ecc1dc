import { setTimeout as delay } from "node:timers/promises";
import { getHeapSpaceStatistics } from "node:v8";

/**
 * Lets time pass in a test where no condition can be awaited: a promised bound, a span of load, or a span in which nothing must
 * happen, long compared to the time in which a fault would show.
 * @param _reason for the reader
 */
export async function lapse(ms: number, _reason: string): Promise<void> {
  await delay(ms);
}

/** Largest growth of V8's old space while a step is repeated, bytes: objects that have survived two young collections. */
export function oldSpaceGrowth(rounds: number, step: (round: number) => void): number {
  const before = oldSpaceBytes();
  let most = 0;
  for (let round = 0; round < rounds; round += 1) {
    step(round);
    if (round % 1_000 === 0) most = Math.max(most, oldSpaceBytes() - before);
  }
  return most;
}

function oldSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space")?.space_used_size ?? 0;
}
