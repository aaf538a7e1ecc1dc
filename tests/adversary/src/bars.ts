/** Longest wait of `/healthz` beyond its wait in an idle interval of the same run, ms. */
export const stallMsMax = 50;
/**
 * Pauses before the attempts at a case that looks bad, ms, in which the product is idle and watched; the first attempt of the
 * generator has none. The last is long enough for another program's burst, or a collection of garbage of the attempts before, to pass.
 */
export const attemptPausesMs = [1_000, 500, 500, 5_000] as const;
/** Greatest rise of resident memory by one request of up to 4 MiB, or one reply of an upstream. */
export const residentGrowthBytesMax = 200 * 1024 * 1024;
/** Steepest growth of time and memory with the size of what is sent: the slope of their logarithms. */
export const growthExponentMax = 1.15;
/** The largest body that the gateway takes. */
export const bodySizeBytesMax = 4 * 1024 * 1024;
