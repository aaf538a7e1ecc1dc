import { useSyncExternalStore } from "react";

const tickMs = 10_000;

/** Components that show times share one timer, since lists have some in each row. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** The present time, to ten seconds; renders again with each tick. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, currentTick);
}

function subscribe(onTick: () => void): () => void {
  listeners.add(onTick);
  timer ??= setInterval(() => listeners.forEach((listen) => listen()), tickMs);
  return () => {
    listeners.delete(onTick);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function currentTick(): number {
  return Math.floor(Date.now() / tickMs) * tickMs;
}
