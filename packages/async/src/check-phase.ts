import { AsyncLocalStorage } from "node:async_hooks";
import { throwUncaught } from "./guarded.ts";

/** Works that wait at most: with 64, the first of them has waited for one or two milliseconds of other calls' work. */
const waitingMax = 64;

let waiting: (() => void)[] = [];
let isScheduled = false;

/** Work is run for many calls at once, so in the trace of none. */
const outsideOfCalls = AsyncLocalStorage.snapshot();

/**
 * Runs work in the check phase of this turn of the event loop, when every socket that had something to read has been read, together
 * with the work that others have left for it. For writes to sockets: a write to a peer that sleeps wakes it up, which costs more than a
 * small write does. Between the reads of a busy turn each write finds its peer asleep again; behind one another, most do not.
 * Work that throws does not keep others from running; its error is uncaught.
 */
export function inCheckPhase(work: () => void): void {
  waiting.push(work);
  if (waiting.length >= waitingMax) return runWaiting();
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(onCheck);
}

function onCheck(): void {
  isScheduled = false;
  runWaiting();
}

function runWaiting(): void {
  const works = waiting;
  waiting = [];
  outsideOfCalls(runAll, works);
}

function runAll(works: readonly (() => void)[]): void {
  for (const work of works) {
    try {
      work();
    } catch (cause) {
      throwUncaught(cause);
    }
  }
}
