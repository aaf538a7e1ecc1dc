import { useState, useSyncExternalStore } from "react";

/** A person who looks at a row does not scroll for this long. */
const restMs = 150;

const waiting = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Notes that a list is being scrolled. */
export function noteScroll(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    timer = undefined;
    waiting.forEach((onRest) => onRest());
  }, restMs);
}

/** Whether there was a moment at which no list was scrolled, since the part was drawn. Rows that are scrolled past have none. */
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
