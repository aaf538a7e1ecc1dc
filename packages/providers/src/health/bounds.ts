/** Failures in a row after which a provider, or one model of it, is left alone. */
export const failuresMax = 5;
/** How long it is left alone before one call may probe it, ms. */
export const openMs = 10_000;
/** Longest rest that a provider's `Retry-After` is granted, ms; what asks for more is asked again after it. */
export const restMsMax = 5 * 60_000;
/** Providers whose health is remembered; beyond it the one used longest ago is forgotten. */
export const providersMax = 1_000;
/** Their models whose health is remembered, likewise. */
export const modelsMax = 4_000;
