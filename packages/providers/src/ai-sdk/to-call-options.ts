import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4ToolChoice,
} from "@ai-sdk/provider";
import { asRecord } from "../exchange/json.ts";
import type { CompletionRequest } from "../forms/completion.ts";
import { badRequest } from "./foreign-error.ts";
import { type PromptForm, toPrompt } from "./to-prompt.ts";

type Schema = LanguageModelV4FunctionTool["inputSchema"];
type ResponseFormat = NonNullable<LanguageModelV4CallOptions["responseFormat"]>;
type Reasoning = NonNullable<LanguageModelV4CallOptions["reasoning"]>;

const reasoningEfforts: ReadonlySet<unknown> = new Set(["none", "minimal", "low", "medium", "high", "xhigh"]);

/**
 * OpenAI's request as options of the AI SDK. Parameters that other providers do not have (`logprobs`, `logit_bias`, `user`, …)
 * are left out; more than one choice is refused, since fewer would be returned than asked for.
 * @throws ProviderError status 400 that names what cannot be expressed.
 */
export function toCallOptions(
  request: CompletionRequest,
  provider: string,
  form: PromptForm,
): LanguageModelV4CallOptions {
  const number = (name: string) => toNumber(request, name, provider);
  if ((number("n") ?? 1) !== 1) throw badRequest(provider, "it gives one choice only, so n must be 1");
  return withoutUndefined<LanguageModelV4CallOptions>({
    prompt: toPrompt(request.messages, provider, form),
    maxOutputTokens: number("max_completion_tokens") ?? number("max_tokens"),
    temperature: number("temperature"),
    topP: number("top_p"),
    topK: number("top_k"),
    presencePenalty: number("presence_penalty"),
    frequencyPenalty: number("frequency_penalty"),
    seed: number("seed"),
    stopSequences: toStopSequences(request.stop, provider),
    responseFormat: toResponseFormat(request.response_format, provider),
    reasoning: toReasoning(request.reasoning_effort),
    tools: toTools(request.tools, provider),
    toolChoice: toToolChoice(request.tool_choice, provider),
  });
}

function toNumber(request: CompletionRequest, name: string, provider: string): number | undefined {
  const value = request[name] ?? undefined;
  if (value === undefined || typeof value === "number") return value;
  throw badRequest(provider, `${name} must be a number`);
}

function toStopSequences(stop: unknown, provider: string): string[] | undefined {
  if (stop === undefined || stop === null) return undefined;
  const sequences: unknown[] = Array.isArray(stop) ? stop : [stop];
  if (sequences.every((sequence) => typeof sequence === "string")) return sequences;
  throw badRequest(provider, "stop must be text or a list of texts");
}

function toResponseFormat(value: unknown, provider: string): ResponseFormat | undefined {
  const format = asRecord(value);
  if (format === undefined || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json" };
  const { schema, name, description } = asRecord(format.json_schema) ?? {};
  if (format.type !== "json_schema" || asRecord(schema) === undefined) {
    throw badRequest(provider, "response_format must be text, json_object, or json_schema with a schema");
  }
  return {
    type: "json",
    schema: schema as Schema,
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof description === "string" ? { description } : {}),
  };
}

function toReasoning(effort: unknown): Reasoning | undefined {
  return reasoningEfforts.has(effort) ? (effort as Reasoning) : undefined;
}

function toTools(tools: unknown, provider: string): LanguageModelV4FunctionTool[] | undefined {
  if (tools === undefined || tools === null) return undefined;
  if (!Array.isArray(tools)) throw badRequest(provider, "tools must be a list");
  return tools.length === 0 ? undefined : tools.map((tool: unknown) => toTool(tool, provider));
}

function toTool(value: unknown, provider: string): LanguageModelV4FunctionTool {
  const tool = asRecord(value);
  const { name, description, parameters, strict } = asRecord(tool?.function) ?? {};
  if (tool?.type !== "function" || typeof name !== "string") {
    throw badRequest(provider, "each of its tools must be a function with a name");
  }
  return {
    type: "function",
    name,
    inputSchema: (asRecord(parameters) ?? { type: "object", properties: {} }) as Schema,
    ...(typeof description === "string" ? { description } : {}),
    ...(typeof strict === "boolean" ? { strict } : {}),
  };
}

function toToolChoice(choice: unknown, provider: string): LanguageModelV4ToolChoice | undefined {
  if (choice === undefined || choice === null) return undefined;
  if (choice === "auto" || choice === "none" || choice === "required") return { type: choice };
  const toolName = asRecord(asRecord(choice)?.function)?.name;
  if (typeof toolName === "string") return { type: "tool", toolName };
  throw badRequest(provider, "tool_choice must be auto, none, required or a function");
}

/** The object without its undefined members, for types whose members are optional and never undefined. */
function withoutUndefined<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
