import type { Call } from "./call.ts";
import { contentOf } from "./chat-reply.ts";
import type { CompletionUsage } from "./completion.ts";
import { countMessageTokens, countTokens } from "./token-count.ts";

/**
 * What a call has used: what the provider reported, else a real tokenizer's count of the prompt that was sent and of the
 * text that came back. Decided once for a call and kept on it.
 */
export async function resolveUsage(call: Call): Promise<CompletionUsage> {
  if (call.usage !== undefined) return call.usage;
  const { reply } = call;
  const reported = reply?.kind === "complete" ? reply.completion.usage : undefined;
  call.isUsageEstimated = reported === undefined;
  call.usage = reported ?? (await countUsage(call));
  return call.usage;
}

async function countUsage(call: Call): Promise<CompletionUsage> {
  const answer = call.answer ?? (call.reply?.kind === "complete" ? contentOf(call.reply.completion) : "");
  const [prompt_tokens, completion_tokens] = await Promise.all([
    countMessageTokens(call.messages),
    countTokens(answer),
  ]);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
