import { useState, useSyncExternalStore } from "react";

/** Time without scrolling after which a row counts as looked at. */
const restMs = 150;

const waiting = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Records that a list scrolls. */
export function noteScroll(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    timer = undefined;
    waiting.forEach((onRest) => onRest());
  }, restMs);
}

/** Whether scrolling has paused since the component was mounted; false for rows that are scrolled past. */
export function useHasRested(): boolean {
  const isResting = useSyncExternalStore(subscribe, () => timer === undefined);
  const [hasRested, setHasRested] = useState(isResting);
  if (isResting && !hasRested) setHasRested(true);
  return hasRested || isResting;
}

function subscribe(onRest: () => void): () => void {
  waiting.add(onRest);
  return () => void waiting.delete(onRest);
}
