import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4TextPart } from "@ai-sdk/provider";

/**
 * A request in which the model must not call tools: the Converse API has no `none`, and refuses tool calls and results in a request
 * without `toolConfig`. So `tools` are left out, and calls and results of the history become text. Other requests are unchanged.
 */
export function withoutTools(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { tools, toolChoice, prompt, ...others } = options;
  if (tools !== undefined && toolChoice?.type !== "none") return options;
  return { ...others, prompt: prompt.map(toTextMessage) };
}

function toTextMessage(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role === "assistant") return { ...message, content: message.content.map(toTextPart) };
  if (message.role !== "tool") return message;
  return { role: "user", content: message.content.map(toResultText) };
}

type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];
type ToolPart = Extract<LanguageModelV4Message, { role: "tool" }>["content"][number];

function toTextPart(part: AssistantPart): AssistantPart {
  if (part.type !== "tool-call") return part;
  const { toolCallId: id, toolName: name, input } = part;
  return { type: "text", text: `[Call ${id} of the tool ${name}: ${JSON.stringify(input)}]` };
}

function toResultText(part: ToolPart): LanguageModelV4TextPart {
  if (part.type !== "tool-result") return { type: "text", text: JSON.stringify(part) };
  const { toolCallId: id, toolName: name, output } = part;
  const result = output.type === "text" ? output.value : JSON.stringify(output);
  return { type: "text", text: `[Result of call ${id} of the tool ${name}: ${result}]` };
}
