import type { Call } from "./call.ts";
import type { CompletionUsage } from "./completion.ts";
import { countMessageTokens, countTokens } from "./token-count.ts";

/** Counts what a provider has not reported, with a real tokenizer: the prompt that was sent and the text that came back. */
export async function countCallUsage({ messages }: Call, content: string): Promise<CompletionUsage> {
  const [prompt_tokens, completion_tokens] = await Promise.all([countMessageTokens(messages), countTokens(content)]);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
