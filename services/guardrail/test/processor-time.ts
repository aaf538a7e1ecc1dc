/** Processor time that work takes on this thread, in milliseconds. */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Unsteadiness of one measurement: steps of the clock, and a collection of garbage, in milliseconds. */
const unsteadyMs = 5;
/** Growth of the length between the two measurements. */
const lengthFactor = 8;

/**
 * Factor by which the processor time of work grows between an eighth of `lengthMax` and `lengthMax`: 8 where it is linear, 64 where
 * it is quadratic. Independent of the machine's speed. Each time is the least of three.
 */
export function growthOver(lengthMax: number, workFor: (length: number) => () => unknown): number {
  const leastMs = (length: number): number => {
    const work = workFor(length);
    return Math.min(...Array.from({ length: 3 }, () => cpuMs(work)));
  };
  const ofPart = leastMs(lengthMax / lengthFactor);
  return (leastMs(lengthMax) + unsteadyMs) / (ofPart + unsteadyMs);
}

/** Greatest growth that counts as linear: caches, and code that is optimised between the two, cost up to a double. */
export const linearGrowthMax = 24;
