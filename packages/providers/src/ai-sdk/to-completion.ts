import type { LanguageModelV4Content, LanguageModelV4GenerateResult, LanguageModelV4ToolCall } from "@ai-sdk/provider";
import type { ChatMessage, Completion } from "../forms/completion.ts";
import { toFinishReason } from "./finish-reason.ts";
import { isNamed } from "./reply-view.ts";
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
  // A whole answer may lack its reason, as in OpenAI's form; a reply without both has no answer.
  const isUnnamed = !isNamed(finishReason.raw) && content.length > 0;
  const reason = isUnnamed ? null : toFinishReason(finishReason, provider);
  const choice = { index: 0, message: toMessage(content), finish_reason: reason };
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
      ? [{ id: part.toolCallId, type: "function", function: { name: part.toolName, arguments: toArguments(part) } }]
      : [],
  );
  return {
    role: "assistant",
    content: text === "" && toolCalls.length > 0 ? null : text,
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
}

/** Arguments of a tool call as JSON: packages may report an empty text for a call without arguments. */
export function toArguments({ input }: LanguageModelV4ToolCall): string {
  return input === "" ? "{}" : input;
}
