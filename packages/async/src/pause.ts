import type { AbortState } from "./light-abort.ts";

/** Resolves after so many milliseconds, or as soon as the signal is aborted. */
export async function pause(ms: number, signal: AbortState): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = () => resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", onAbort);
}

/** Resolves as soon as the signal is aborted. */
export async function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Bounds of {@link backoff} for a server of this installation, such as its database: an attempt costs little, and it is back soon. */
export const backoffBounds = { minMs: 100, maxMs: 5_000 } as const;

/** Delay before the next attempt, ms: `minMs` after the first failure, doubled each time, up to `maxMs`. */
export function backoff(
  failures: number,
  minMs: number = backoffBounds.minMs,
  maxMs: number = backoffBounds.maxMs,
): number {
  return Math.min(minMs * 2 ** Math.min(failures - 1, 30), maxMs);
}

/** Settles as `promise`, or rejects with the signal's reason if that comes first. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Less time than this is left out by {@link untilTick}: a timer may end a little early. */
const tickGapMs = 50;

/**
 * Time until the next multiple of an interval on the process's clock, ms; up to `tickGapMs` more than the interval. Parts that rest for
 * the same interval are woken up together, which costs an idle process less than one wake-up each.
 */
export function untilTick(intervalMs: number, now: number = performance.now()): number {
  const left = intervalMs - (now % intervalMs);
  return left < Math.min(tickGapMs, intervalMs / 2) ? left + intervalMs : left;
}
