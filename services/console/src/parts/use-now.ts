import { useSyncExternalStore } from "react";

const tickMs = 10_000;

/** The present, to ten seconds; a part that uses it is drawn again with each tick. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, currentTick);
}

function subscribe(onTick: () => void): () => void {
  const timer = setInterval(onTick, tickMs);
  return () => clearInterval(timer);
}

function currentTick(): number {
  return Math.floor(Date.now() / tickMs) * tickMs;
}
