/** Calls of a slice of a warm-up. */
export const warmUpSliceCalls = 10_000;

/** Share by which a slice must be cheaper than the last fall's, to be a fall itself. */
const fallShareMin = 0.03;

/** Slices in a row without a fall after which a system has settled; with fewer, a slice beside other work would end a warm-up. */
const slicesWithoutFall = 3;

/**
 * Whether a system's code is compiled: the CPU of a call has stopped falling. One rule for all systems, since they have more or
 * less code to compile: V8 compiles code by its calls, so its threads and the slower code that they replace are part of a call's
 * cost until then. `cpuUs` has the CPU per call of each slice so far.
 */
export function hasSettled(cpuUs: readonly number[]): boolean {
  let fallenTo = Number.POSITIVE_INFINITY;
  let withoutFall = 0;
  for (const cpu of cpuUs) {
    const isFall = cpu < fallenTo * (1 - fallShareMin);
    if (isFall) fallenTo = cpu;
    withoutFall = isFall ? 0 : withoutFall + 1;
  }
  return withoutFall >= slicesWithoutFall;
}
