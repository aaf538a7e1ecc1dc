import { AsyncLocalStorage } from "node:async_hooks";
import { throwUncaught } from "./guarded.ts";

/** Most callbacks that wait: with 64, the first has waited for one or two milliseconds of other calls' work. */
const waitingMax = 64;

let waiting: (() => void)[] = [];
let isScheduled = false;

/** The work of many calls runs together, so in no call's trace. */
const outsideOfCalls = AsyncLocalStorage.snapshot();

/**
 * Runs work in the check phase of this turn of the event loop, after all readable sockets have been read, together with other
 * such work. For writes to sockets: a write to a sleeping peer wakes it, which costs more than a small write. Writes between the
 * reads of a busy turn each find their peer asleep again; consecutive writes mostly do not. An exception of the work is uncaught,
 * and does not stop other work.
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
