import type { CompletionUsage } from "../forms/completion.ts";

/** Tokens that a call used, whole numbers from 0. A part never exceeds its whole. */
export interface TokenUse {
  /** All of the prompt, cached parts included. */
  readonly promptTokens: number;
  /** Prompt tokens read from the provider's cache. */
  readonly cachedTokens: number;
  /** Prompt tokens written to the provider's cache. */
  readonly cacheWriteTokens: number;
  /** All of the output, reasoning included. */
  readonly completionTokens: number;
  /** Output tokens of reasoning. */
  readonly reasoningTokens: number;
}

/** Converts a provider's usage; counts that contradict each other are reduced to fit. */
export function toTokenUse(usage: CompletionUsage): TokenUse {
  const cacheWrite = usage.prompt_tokens_details?.cache_write_tokens;
  const promptTokens = toCount(usage.prompt_tokens);
  const completionTokens = toCount(usage.completion_tokens);
  const cachedTokens = Math.min(promptTokens, toCount(usage.prompt_tokens_details?.cached_tokens));
  return {
    promptTokens,
    cachedTokens,
    cacheWriteTokens: Math.min(promptTokens - cachedTokens, toCount(cacheWrite)),
    completionTokens,
    reasoningTokens: Math.min(completionTokens, toCount(usage.completion_tokens_details?.reasoning_tokens)),
  };
}

function toCount(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}
