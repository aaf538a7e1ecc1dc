import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { CompletionUsage } from "../../../domain/completion.ts";

/** OpenAI's token counts; undefined where the provider reports none. Tokens read from a cache are part of the prompt's. */
export function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): CompletionUsage | undefined {
  const prompt = inputTokens.total;
  const completion = outputTokens.total;
  if (prompt === undefined || completion === undefined) return undefined;
  const cached = inputTokens.cacheRead;
  const reasoning = outputTokens.reasoning;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}
