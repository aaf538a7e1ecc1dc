import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Interval of checks of the event loop, milliseconds. */
const lookEveryMs = 10_000;
/** Utilization below which a process counts as idle: without calls, timers and outboxes take 0.5 %. */
const utilizationAtRest = 0.02;
/** Consecutive idle checks before a collection: after the start, and after a load, whose compiled code a collection discards. */
const looksAfterStart = 3;
const looksAfterLoad = 30;
/** Busy time of the event loop since the start or the last collection that counts as a load, milliseconds. */
const busyMsOfLoad = 2000;

/**
 * Releases memory once the process has been idle: for half a minute after the start, for five minutes after a load. V8 keeps
 * garbage and its young generation for as long as little happens; after one collection (some 25 ms) it shrinks the heap within
 * seconds. With no call in flight the hidden classes of a call's objects are collected as well, and with them the code compiled
 * for them, so that the first seconds of the next load cost twice: too much for a pause of a minute.
 * @returns stops the checks
 */
export function releaseMemoryAtRest(collect: () => void = collectOnce): () => void {
  let looks = 0;
  let busyMs = 0;
  let last = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { active, utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    if (utilization > utilizationAtRest) {
      looks = 0;
      busyMs += active;
      return;
    }
    looks += 1;
    if (looks !== (busyMs < busyMsOfLoad ? looksAfterStart : looksAfterLoad)) return;
    busyMs = 0;
    collect();
  }, lookEveryMs).unref();
  return () => clearInterval(timer);
}

/** Calls V8's `gc`, without `--expose-gc` on the command line. Created on use, since V8 collects by itself soon after a new context. */
function collectOnce(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: { readonly type: "major"; readonly execution: "sync" }) => void;
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", execution: "sync" });
}
