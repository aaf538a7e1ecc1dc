import type { Call, Reply } from "./call.ts";
import { contentOf, textOf } from "./chat-reply.ts";
import type { CompletionUsage } from "./completion.ts";
import { countMessageTokens, countTokens } from "./token-count.ts";

/**
 * What a call has used: what the provider reported, else a real tokenizer's count of the prompt that was sent and of the
 * text that came back. Decided once for a call and kept on it.
 */
export async function resolveUsage(call: Call): Promise<CompletionUsage> {
  if (call.usage !== undefined) return call.usage;
  const { reply } = call;
  const reported = reportedBy(reply);
  call.isUsageEstimated = reported === undefined;
  call.usage = reported ?? (await countUsage(call));
  return call.usage;
}

function reportedBy(reply: Reply | undefined): CompletionUsage | undefined {
  if (reply?.kind === "complete") return reply.completion.usage;
  const usage = reply?.kind === "embeddings" ? reply.embeddings.usage : undefined;
  return usage === undefined ? undefined : { ...usage, completion_tokens: 0 };
}

async function countUsage(call: Call): Promise<CompletionUsage> {
  if (call.request?.operation === "embeddings") {
    const counts = await Promise.all(call.messages.map(async ({ content }) => await countTokens(textOf(content))));
    const tokens = counts.reduce((sum, count) => sum + count, 0);
    return { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens };
  }
  const answer = call.answer ?? (call.reply?.kind === "complete" ? contentOf(call.reply.completion) : "");
  const [prompt_tokens, completion_tokens] = await Promise.all([
    countMessageTokens(call.messages),
    countTokens(answer),
  ]);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
