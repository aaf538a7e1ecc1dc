import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
} from "@ai-sdk/provider";
import type { JsonObject } from "@gatehouse/json";
import { asRecord, parseReplyJson } from "../exchange/json.ts";
import type { ChatMessage } from "../forms/completion.ts";
import type { ProviderError } from "../provider.ts";
import { badRequest } from "./foreign-error.ts";
import { type ImageAddresses, toFilePart } from "./to-file-part.ts";
import { ToolCalls } from "./tool-calls.ts";

/** Prompts that a provider's API accepts. */
export interface PromptForm {
  readonly imageAddresses: ImageAddresses;
  /** Place of system messages: `first` where the API has one instruction before all messages, to which later ones are joined. */
  readonly system: "anywhere" | "first";
  /** Ids of tool calls that the API accepts; conversations may have those of any other provider. */
  readonly toolCallId: RegExp;
}

/**
 * OpenAI's messages as a prompt of the AI SDK. Messages without content, or of white space only, are left out: OpenAI accepts them, while other providers
 * refuse the request, so that one empty answer would make a conversation unusable.
 * @throws ProviderError status 400 that names the message that cannot be expressed: also an empty user message at the end, without
 * which nothing is asked; and where there are only system messages, which these APIs do not answer.
 */
export function toPrompt(messages: readonly ChatMessage[], provider: string, form: PromptForm): LanguageModelV4Prompt {
  const toolCalls = new ToolCalls();
  const translated = messages.flatMap((message, index) => {
    const refuse: Refuse = (problem) => badRequest(provider, `message ${index + 1} ${problem}`);
    const result = toMessage(message, { toolCalls, refuse, form });
    if (result === undefined) return [];
    if (result.content.length > 0) return [result];
    if (result.role === "user" && index === messages.length - 1) throw refuse("has no content");
    return [];
  });
  if (translated.every(({ role }) => role === "system")) throw badRequest(provider, nothingAsked);
  const prompt = toolCalls.placeResults(translated, form.toolCallId);
  if (form.system === "anywhere") return prompt;
  return [...prompt.filter(({ role }) => role === "system"), ...prompt.filter(({ role }) => role !== "system")];
}

const nothingAsked = "it has only system messages; a message of the user or the assistant is missing";

type Refuse = (problem: string) => ProviderError;

interface Context {
  /** Tool calls so far. */
  readonly toolCalls: ToolCalls;
  readonly refuse: Refuse;
  readonly form: PromptForm;
}

/** The message translated; undefined for a tool's result, which is added to its call. */
function toMessage(message: ChatMessage, context: Context): LanguageModelV4Message | undefined {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", content: toText(message.content, context.refuse) };
    case "user":
      return { role: "user", content: toUserContent(message.content, context) };
    case "assistant":
      return {
        role: "assistant",
        content: [...toAssistantText(message, context.refuse), ...toToolCalls(message, context)],
      };
    case "tool":
      addToolResult(message, context);
      return undefined;
    default:
      throw context.refuse(`has the role '${message.role}'`);
  }
}

function toText(content: unknown, refuse: Refuse): string {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw refuse("has a content that is neither text nor a list");
  return content.map((part) => textOfPart(asRecord(part), refuse)).join("");
}

function textOfPart(part: JsonObject | undefined, refuse: Refuse): string {
  const text = part?.type === "refusal" ? part.refusal : part?.text;
  if (typeof text !== "string") throw refuse(`has a part of type '${String(part?.type)}' where only text is allowed`);
  return text;
}

function toUserContent(
  content: unknown,
  { refuse, form }: Context,
): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  if (!Array.isArray(content)) return toTextParts(toText(content, refuse));
  const values: readonly unknown[] = content;
  return values.flatMap((value): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] => {
    const part = asRecord(value) ?? {};
    if (part.type === "text") return toTextParts(textOfPart(part, refuse));
    const file = toFilePart(part, form.imageAddresses);
    if (typeof file === "string") throw refuse(file);
    return [file];
  });
}

/** Providers refuse empty text; Anthropic and Bedrock also refuse text of white space only. */
function toTextParts(text: string): LanguageModelV4TextPart[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function toAssistantText({ content, refusal }: ChatMessage, refuse: Refuse): LanguageModelV4TextPart[] {
  const text = toText(content, refuse);
  return toTextParts(text === "" && typeof refusal === "string" ? refusal : text);
}

function toToolCalls(
  { tool_calls: calls }: ChatMessage,
  { toolCalls, refuse }: Context,
): LanguageModelV4ToolCallPart[] {
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) throw refuse("has tool_calls that are not a list");
  const parts = calls.map((value: unknown) => toToolCall(value, refuse));
  toolCalls.add(parts);
  return parts;
}

function toToolCall(value: unknown, refuse: Refuse): LanguageModelV4ToolCallPart {
  const call = asRecord(value);
  const called = asRecord(call?.function);
  if (typeof call?.id !== "string" || typeof called?.name !== "string") {
    throw refuse("has a tool call without an id or a function name");
  }
  const input = toInput(called.arguments, refuse);
  return { type: "tool-call", toolCallId: call.id, toolName: called.name, input };
}

function toInput(text: unknown, refuse: Refuse): unknown {
  if (text === undefined || text === "") return {};
  const input = typeof text === "string" ? parseReplyJson(text) : undefined;
  if (input !== undefined) return input;
  throw refuse("has a tool call whose arguments are not JSON");
}

function addToolResult({ tool_call_id: id, content }: ChatMessage, { toolCalls, refuse }: Context): void {
  const output = { type: "text", value: toText(content, refuse) } as const;
  if (typeof id !== "string" || !toolCalls.answer(id, output)) {
    throw refuse("answers a tool call that no earlier message has");
  }
}
