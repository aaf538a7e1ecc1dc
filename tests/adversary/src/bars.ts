/** Longest delay of `/healthz` beyond that in an idle interval of the same run, milliseconds. */
export const stallMsMax = 50;
/** Idle interval with which the first attempts are compared, milliseconds. */
export const idleMs = 1_000;
/**
 * Idle intervals before each attempt at a case, milliseconds; 0: compared with the last one. Only a suspicious case is tried more
 * than once. The last interval is long enough for another program's burst, or a garbage collection, to pass.
 */
export const attemptPausesMs = [0, 500, 500, 5_000] as const;
/** Largest growth of resident memory by one request of up to 4 MiB, or one reply of an upstream. */
export const residentGrowthBytesMax = 200 * 1024 * 1024;
/** Largest exponent of time and memory over input size: the slope of their logarithms. */
export const growthExponentMax = 1.15;
/** Largest body that the gateway accepts. */
export const bodySizeBytesMax = 4 * 1024 * 1024;
