import type { LanguageModelV4Content, LanguageModelV4GenerateResult } from "@ai-sdk/provider";
import type { ChatMessage, Completion } from "../forms/completion.ts";
import { toFinishReason } from "./finish-reason.ts";
import { toUsage } from "./to-usage.ts";

/** Fields of a completion that the AI SDK does not report. */
export interface CompletionIdentity {
  readonly id: string;
  readonly model: string;
  /** Unix seconds. */
  readonly created: number;
}

/** The AI SDK's result as an OpenAI completion. Identity fields that the provider does not report come from `fallback`. */
export function toCompletion(
  { content, finishReason, usage, response }: LanguageModelV4GenerateResult,
  fallback: CompletionIdentity,
  provider: string,
): Completion {
  const choice = { index: 0, message: toMessage(content), finish_reason: toFinishReason(finishReason, provider) };
  const counts = toUsage(usage);
  return {
    id: response?.id || fallback.id,
    object: "chat.completion",
    created: fallback.created,
    model: response?.modelId || fallback.model,
    choices: [choice],
    ...(counts === undefined ? {} : { usage: counts }),
  };
}

/** Text, reasoning (as `reasoning_content`, the name most compatible servers use) and tool calls. */
function toMessage(content: readonly LanguageModelV4Content[]): ChatMessage {
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  const reasoning = content.map((part) => (part.type === "reasoning" ? part.text : "")).join("");
  const calls = content.filter((part) => part.type === "tool-call" && part.providerExecuted !== true);
  const toolCalls = calls.flatMap((part) =>
    part.type === "tool-call"
      ? [{ id: part.toolCallId, type: "function", function: { name: part.toolName, arguments: part.input } }]
      : [],
  );
  return {
    role: "assistant",
    content: text === "" && toolCalls.length > 0 ? null : text,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
}
