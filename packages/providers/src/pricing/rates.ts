import type { TokenUse } from "./token-use.ts";

/** Micro-dollars per token (the same number as dollars per million), and per request. */
export interface Rates {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
  readonly request: number;
}

/** Rates of 0 for a model without a known price, to which a target's overrides may be applied. */
export const noRates: Rates = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, request: 0 };

/** Prices of a target that replace the data set's, US dollars per million tokens. */
export interface PriceOverrides {
  readonly inputPricePerMillion?: number | undefined;
  readonly outputPricePerMillion?: number | undefined;
}

/** An override applies to all tokens of its side, cached and reasoning tokens included. */
export function withOverrides(rates: Rates, { inputPricePerMillion, outputPricePerMillion }: PriceOverrides): Rates {
  if (inputPricePerMillion === undefined && outputPricePerMillion === undefined) return rates;
  return {
    input: inputPricePerMillion ?? rates.input,
    cacheRead: inputPricePerMillion ?? rates.cacheRead,
    cacheWrite: inputPricePerMillion ?? rates.cacheWrite,
    output: outputPricePerMillion ?? rates.output,
    reasoning: outputPricePerMillion ?? rates.reasoning,
    request: rates.request,
  };
}

/** Micro-dollars, not rounded. */
export function costOf(rates: Rates, use: TokenUse): number {
  const plain = use.promptTokens - use.cachedTokens - use.cacheWriteTokens;
  const prompt = plain * rates.input + use.cachedTokens * rates.cacheRead + use.cacheWriteTokens * rates.cacheWrite;
  const spoken = use.completionTokens - use.reasoningTokens;
  return rates.request + prompt + spoken * rates.output + use.reasoningTokens * rates.reasoning;
}

/** Most that so many tokens can cost, in micro-dollars, not rounded: the cache may be written, the answer may be reasoning. */
export function mostOf(rates: Rates, tokens: Pick<TokenUse, "promptTokens" | "completionTokens">): number {
  const prompt = tokens.promptTokens * Math.max(rates.input, rates.cacheWrite);
  return rates.request + prompt + tokens.completionTokens * Math.max(rates.output, rates.reasoning);
}
