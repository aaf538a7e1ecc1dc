import { asRecord } from "../exchange/json.ts";

/**
 * Whether Claude refuses a thinking budget for these messages, in the form of Anthropic or of Bedrock: with a budget, an assistant
 * message at the end, and one whose tool calls are answered, must begin with a signed thinking block, and OpenAI's messages have no
 * place for signatures. Adaptive thinking has no such rule.
 */
export function needsSignedThinking(messages: unknown): boolean {
  const list = Array.isArray(messages) ? messages.map(asRecord) : [];
  if (list.at(-1)?.role === "assistant") return true;
  const content = list.findLast((message) => message?.role === "assistant")?.content;
  return Array.isArray(content) && content.map(asRecord).some((part) => part?.type === "tool_use" || part?.toolUse);
}
