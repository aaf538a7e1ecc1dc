import type { PriceBook, PricedTarget } from "./price-book.ts";

interface AnswerSize {
  readonly promptTokens: number;
  /** Number of answers requested, each as long as the limit permits. */
  readonly choices: number;
  /** Most tokens of each answer. */
  readonly tokensMax: number;
  /** Time of the call, epoch milliseconds. */
  readonly atMs: number;
}

/**
 * Longest answer, in tokens, whose call costs at most `micros`; undefined where its prompt alone costs more. Found by bisection,
 * since a longer answer never costs less.
 */
export function affordableTokens(
  prices: Pick<PriceBook, "estimate">,
  target: PricedTarget,
  { micros, ...size }: AnswerSize & { readonly micros: number },
): number | undefined {
  const costs = (tokens: number) => {
    const { promptTokens, choices, atMs } = size;
    return prices.estimate(target, { promptTokens, completionTokens: tokens * choices }, atMs).costMicros;
  };
  if (costs(size.tokensMax) <= micros) return size.tokensMax;
  if (costs(0) > micros) return undefined;
  let affordable = 0;
  let over = size.tokensMax;
  while (over - affordable > 1) {
    const middle = Math.floor((affordable + over) / 2);
    if (costs(middle) <= micros) affordable = middle;
    else over = middle;
  }
  return affordable;
}
