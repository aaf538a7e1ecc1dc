import { setTimeout } from "node:timers/promises";

/** Waits, or less long where the signal comes first. */
export async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(delayMs, undefined, { signal });
  } catch (err) {
    if (!signal.aborted) throw err;
  }
}

/** The delay before a further attempt: `minMs` after the first failure, then twice as long each time, up to `maxMs`. */
export function backoff(failures: number, minMs: number, maxMs: number): number {
  return Math.min(minMs * 2 ** Math.min(failures - 1, 30), maxMs);
}
