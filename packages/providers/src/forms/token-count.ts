/** Greatest plausible figure of one side of a call: ten times the longest context of any model. Columns of 32 bits hold it. */
const tokensMax = 100_000_000;

/** Whether a provider's value can be a number of tokens. Usage with any other is no figure, and is counted by the gateway. */
export function isTokenCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= tokensMax;
}
