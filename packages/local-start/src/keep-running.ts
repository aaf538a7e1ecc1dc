import { setTimeout as delay } from "node:timers/promises";
import { progress } from "./greeting.ts";

/** A server that this process has started. */
export interface KeptServer {
  /** Resolves when it has ended, by itself or by `stop`. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const restartDelayMs = 500;
/** Time between two notices of failed starts, milliseconds. */
const failureNoticeMs = 30_000;

/**
 * Restarts a server when it ends by itself, one start at a time.
 * @param name for the notice of an end
 * @returns a function that stops it without a restart.
 */
export function keepRunning(name: string, first: KeptServer, start: () => Promise<KeptServer>): () => Promise<void> {
  const stopping = new AbortController();
  let current = first;
  let failureShownAt = -Infinity;
  const onFailure = (err: unknown) => {
    if (performance.now() - failureShownAt < failureNoticeMs) return;
    failureShownAt = performance.now();
    const reason = err instanceof Error ? err.message : String(err);
    progress(`${name} has ended and cannot be started, which is tried again until it succeeds: ${reason}`);
  };
  const keep = async () => {
    while (!stopping.signal.aborted) {
      await current.ended;
      if (stopping.signal.aborted) return;
      if (failureShownAt === -Infinity) progress(`${name} has ended unexpectedly; it is started again.`);
      await delay(restartDelayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      // A failed start counts as an end: the next round tries again.
      try {
        current = await start();
        failureShownAt = -Infinity;
      } catch (err) {
        onFailure(err);
      }
    }
  };
  const keeping = keep();
  return async () => {
    stopping.abort();
    await current.stop();
    await keeping;
    // A start under way has made another process meanwhile.
    await current.stop();
  };
}
