import { setImmediate } from "node:timers/promises";

/** How long work in slices holds the event loop before others have their turn. */
const sliceMsMax = 5;

/** Runs a computation that yields between its steps, and lets others in between slices of {@link sliceMsMax}. */
export async function runInSlices<Result>(steps: Generator<void, Result>): Promise<Result> {
  let sliceStart = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() - sliceStart < sliceMsMax) continue;
    await setImmediate();
    sliceStart = performance.now();
  }
}
