import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { CompletionUsage } from "../forms/completion.ts";
import { isTokenCount } from "../forms/token-count.ts";

/** OpenAI's token counts; undefined where the provider reports none, or no plausible ones. Cached tokens are part of the prompt's. */
export function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): CompletionUsage | undefined {
  const prompt = inputTokens.total;
  const completion = outputTokens.total;
  if (!isTokenCount(prompt) || !isTokenCount(completion)) return undefined;
  const { cacheRead: cached, cacheWrite: written } = inputTokens;
  const reasoning = outputTokens.reasoning;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(cached === undefined && written === undefined ? {} : { prompt_tokens_details: toDetails(cached, written) }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

function toDetails(cached: number | undefined, written: number | undefined) {
  return {
    ...(cached === undefined ? {} : { cached_tokens: cached }),
    ...(written === undefined || written === 0 ? {} : { cache_write_tokens: written }),
  };
}
