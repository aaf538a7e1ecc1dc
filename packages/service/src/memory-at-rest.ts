import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Time between two looks at the event loop, milliseconds, and the looks in a row that must find it at rest. */
const lookEveryMs = 10_000;
const looksAtRest = 3;
/** Share of its time that the event loop of a process without calls may be busy: timers and outboxes take 0.5 %. */
const utilizationAtRest = 0.02;

/**
 * Gives back the memory of the start, or of a load that is over, once the process has rested for half a minute: V8 keeps garbage and the
 * space for young objects for as long as little happens. One collection (some 25 ms) for each rest; after it V8 lowers the rest within
 * seconds. Not at the start: calls right after a collection cost a tenth more.
 * @returns ends the looking
 */
export function releaseMemoryAtRest(collect: () => void = collectOnce): () => void {
  let looks = 0;
  let last = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    looks = utilization > utilizationAtRest ? 0 : looks + 1;
    if (looks === looksAtRest) collect();
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
