import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Time between two looks at the event loop, milliseconds. */
const lookEveryMs = 10_000;
/** Share of its time that the event loop of a process without calls may be busy: timers and outboxes take 0.5 %. */
const utilizationAtRest = 0.02;
/** Looks in a row that must find the event loop at rest: after the start, and after a load, whose compiled code a collection costs. */
const looksAfterStart = 3;
const looksAfterLoad = 30;
/** Time that the event loop was busy since the start or the last collection, milliseconds, from which on there was a load. */
const busyMsOfLoad = 2000;

/**
 * Gives back the memory of the start, once the process has rested for half a minute, and of a load, once it has rested for five: V8 keeps
 * garbage and the space for young objects for as long as little happens. One collection (some 25 ms) for each rest; after it V8 lowers the
 * memory within seconds. With no call in flight the shapes of a call's objects are garbage as well, and the code that V8 compiled for them
 * goes with them: the first seconds of the next load cost twice. A pause of a minute is not worth that.
 * @returns ends the looking
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

/** By V8's `gc`, without `--expose-gc` on the command line. Made when it is used: V8 collects soon after a new context by itself. */
function collectOnce(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: { readonly type: "major"; readonly execution: "sync" }) => void;
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", execution: "sync" });
}
