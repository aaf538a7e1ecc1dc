/** How long `/healthz` may be kept waiting beyond what it is in an idle interval of the same run, ms. */
export const stallMsMax = 50;
/** How much one request of up to 4 MiB, or one reply of an upstream, may raise resident memory. */
export const residentGrowthBytesMax = 200 * 1024 * 1024;
/** How time and memory may grow with the size of what is sent: the slope of their logarithms. */
export const growthExponentMax = 1.15;
/** The largest body that the gateway takes. */
export const bodySizeBytesMax = 4 * 1024 * 1024;
