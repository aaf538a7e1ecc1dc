import { setTimeout as delay } from "node:timers/promises";
import { progress } from "@gatehouse/local-start";

/** A server that this process has started. */
export interface KeptServer {
  /** Resolves when it has ended, by itself or by `stop`. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const restartDelayMs = 500;

/**
 * Restarts a server when it ends by itself, one start at a time.
 * @param name for the notice of an end
 * @returns a function that stops it without a restart.
 */
export function keepRunning(name: string, first: KeptServer, start: () => Promise<KeptServer>): () => Promise<void> {
  const stopping = new AbortController();
  let current = first;
  const keep = async () => {
    while (!stopping.signal.aborted) {
      await current.ended;
      if (stopping.signal.aborted) return;
      progress(`${name} has ended unexpectedly; it is started again.`);
      await delay(restartDelayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      // A failed start counts as an end: the next round tries again.
      current = await start().catch(() => current);
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
