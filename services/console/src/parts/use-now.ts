import { useSyncExternalStore } from "react";

const tickMs = 10_000;

/** Parts that show times; a list has some for each row, and one timer serves all. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** The present, to ten seconds; a part that uses it is drawn again with each tick. */
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
