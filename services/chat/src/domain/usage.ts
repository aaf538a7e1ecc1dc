import type { Call, Reply } from "./call.ts";
import { contentOf, textOf } from "./chat-reply.ts";
import type { CompletionUsage } from "./completion.ts";

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

/** A call that has ended is billed, however busy the counting is. */
const billed = { mayEstimate: true };

function reportedBy(reply: Reply | undefined): CompletionUsage | undefined {
  if (reply?.kind === "complete") return reply.completion.usage;
  const usage = reply?.kind === "embeddings" ? reply.embeddings.usage : undefined;
  return usage === undefined ? undefined : { ...usage, completion_tokens: 0 };
}

async function countUsage(call: Call): Promise<CompletionUsage> {
  if (call.request?.operation === "embeddings") {
    const texts = call.messages.map(({ content }) => textOf(content));
    const tokens = await call.tokens.ofTexts(texts, billed);
    return { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens };
  }
  const answer = call.answer ?? (call.reply?.kind === "complete" ? contentOf(call.reply.completion) : "");
  const [prompt_tokens, completion_tokens] = await Promise.all([
    call.tokens.ofPrompt(call.messages, billed),
    call.tokens.ofTexts([answer], billed),
  ]);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
