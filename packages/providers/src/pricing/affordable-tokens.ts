import type { PriceBook, PricedTarget } from "./price-book.ts";

interface AnswerSize {
  readonly promptTokens: number;
  /** Answers that are asked for at once, each as long as the limit permits. */
  readonly choices: number;
  /** Tokens of each answer at most. */
  readonly tokensMax: number;
  /** When the call is made, epoch milliseconds. */
  readonly atMs: number;
}

/**
 * Longest answer of a call, in tokens, with which it costs no more than `micros`; undefined where its prompt alone costs
 * more. The price of a longer answer is never lower, so the length is found by halving.
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
