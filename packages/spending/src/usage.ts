import { countSentTokens } from "@gatehouse/content";
import { generatedText, outgoingParameters } from "@gatehouse/dialects";
import type { ChatMessage, CompletionUsage } from "@gatehouse/providers";
import { textOf } from "@gatehouse/tokens";
import type { BilledCall } from "./billed-call.ts";

/** Most characters of text per token; a usage with more is verified before it is used. */
const charactersPerTokenMax = 6;

/**
 * Usage of a call: the provider's report, else a tokenizer's count of everything sent and received. Determined once and stored on
 * the call; returns no promise where nothing has to be counted.
 */
export function resolveUsage(call: BilledCall): CompletionUsage | Promise<CompletionUsage> {
  if (call.usage !== undefined) return call.usage;
  const reported = reportedBy(call);
  call.isUsageEstimated = reported === undefined;
  if (reported === undefined) return countUsage(call).then((counted) => (call.usage = counted));
  call.usage = reported;
  return reported;
}

/**
 * Billed usage: the provider's, but no less than is counted here where it is too small for what was sent and received. Returns no
 * promise where nothing has to be counted.
 */
export function billableUsage(call: BilledCall): CompletionUsage | Promise<CompletionUsage> {
  const usage = call.figure ?? resolveUsage(call);
  if (usage instanceof Promise) return usage.then((counted) => checkUsage(call, counted));
  return checkUsage(call, usage);
}

function checkUsage(call: BilledCall, usage: CompletionUsage): CompletionUsage | Promise<CompletionUsage> {
  call.isUsageEstimated &&= call.figure === undefined;
  return call.isUsageEstimated || isPlausible(call, usage) ? usage : raiseUsage(call, usage);
}

async function raiseUsage(call: BilledCall, usage: CompletionUsage): Promise<CompletionUsage> {
  const counted = await countUsage(call);
  const prompt_tokens = larger(usage.prompt_tokens, counted.prompt_tokens);
  const completion_tokens = larger(usage.completion_tokens, counted.completion_tokens);
  return { ...usage, prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

function reportedBy({ reply, received }: BilledCall): CompletionUsage | undefined {
  if (reply?.kind === "complete") return reply.completion.usage;
  if (reply?.kind === "stream") return received?.usage;
  const usage = reply?.kind === "embeddings" ? reply.embeddings.usage : undefined;
  return usage === undefined ? undefined : { ...usage, completion_tokens: 0 };
}

function isPlausible(
  call: BilledCall,
  { prompt_tokens: prompt, completion_tokens: completion }: CompletionUsage,
): boolean {
  const isPromptPlausible = prompt >= 1 && prompt * charactersPerTokenMax >= lengthOf(call.messages ?? []);
  return isPromptPlausible && completion * charactersPerTokenMax >= textGenerated(call).length;
}

function lengthOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + textOf(content).length, 0);
}

/** The larger of two numbers; NaN is never the larger one. */
function larger(one: number, other: number): number {
  return one > other ? one : other;
}

/** A call that has ended must be billed, however busy the counting is. */
const billed = { mayEstimate: true };

async function countUsage(call: BilledCall): Promise<CompletionUsage> {
  const [prompt_tokens, completion_tokens] = await Promise.all([
    countPrompt(call),
    call.tokens.ofTexts([textGenerated(call)], billed),
  ]);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

async function countPrompt(call: BilledCall): Promise<number> {
  const { messages = [], tokens } = call;
  if (call.request.operation !== "embeddings") {
    return await countSentTokens({ messages, parameters: outgoingParameters(call) }, tokens, billed);
  }
  return await tokens.ofTexts(
    messages.map(({ content }) => textOf(content)),
    billed,
  );
}

/** All text that the provider has sent, including parts that the caller does not get. */
function textGenerated({ answer, answerBeside, reply, received }: BilledCall): string {
  if (received !== undefined) return received.text;
  if (answer !== undefined) return answer + answerBeside;
  return reply?.kind === "complete" ? generatedText(reply.completion) : "";
}
