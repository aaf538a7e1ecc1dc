import type { InspectedText } from "@gatehouse/guardrail-client";
import { isJsonObject, type JsonObject } from "@gatehouse/json";
import type { ChatMessage, Completion } from "@gatehouse/providers";

/** Receives each text in a fixed order, and returns its replacement. */
type Visit = (role: string, text: string, of: { readonly tool?: string }) => string;

/** Fields of a message and of a stream's deltas that are read as text. */
export const textFields = ["content", "refusal", "reasoning_content", "reasoning"] as const;

/**
 * All texts of an answer: all choices, reasoning and the arguments of tool calls. Of empty texts, only arguments, since a policy may
 * forbid their tool.
 */
export function textsOfCompletion(completion: Completion): readonly InspectedText[] {
  const texts: InspectedText[] = [];
  const visit: Visit = (role, text, { tool }) => {
    if (tool !== undefined) texts.push({ role, text, tool });
    else if (text !== "") texts.push({ role, text });
    return text;
  };
  for (const { message } of completion.choices) if (!readPlain(message, visit)) mapMessage(message, visit);
  return texts;
}

/** The completion with texts replaced, in the order of {@link textsOfCompletion}. */
export function replaceCompletionTexts(completion: Completion, texts: readonly string[]): Completion {
  return mapCompletion(completion, replacing(texts));
}

/** The completion with each text replaced. */
export function mapCompletionTexts(completion: Completion, replace: (text: string) => string): Completion {
  return mapCompletion(completion, (_role, text) => replace(text));
}

const ofNoTool = {};

/** Visits a message whose texts are all strings, as most are, without a copy; false for any other, of which nothing was visited. */
function readPlain(message: ChatMessage, visit: Visit): boolean {
  const { role, tool_calls: calls, function_call: call } = message;
  if (Array.isArray(calls) || isJsonObject(call)) return false;
  if (textFields.some((field) => Array.isArray(message[field]))) return false;
  for (const field of textFields) {
    const value = message[field];
    if (typeof value === "string") visit(role, value, ofNoTool);
  }
  return true;
}

function replacing(texts: readonly string[]): Visit {
  let index = 0;
  return () => {
    const text = texts[index++];
    if (text === undefined) throw new Error("The guardrails have answered with fewer texts than they were sent.");
    return text;
  };
}

/** Returns a copy, so that the completion's wire text is not sent instead. */
function mapCompletion(completion: Completion, see: Visit): Completion {
  const visit: Visit = (role, text, of) => (text === "" && of.tool === undefined ? text : see(role, text, of));
  const choices = completion.choices.map((choice) => ({ ...choice, message: mapMessage(choice.message, visit) }));
  return { ...completion, choices };
}

function mapMessage(message: ChatMessage, visit: Visit): ChatMessage {
  const { role } = message;
  const copy: Record<string, unknown> = { ...message };
  for (const field of textFields) {
    const value = message[field];
    if (typeof value === "string") copy[field] = visit(role, value, {});
    else if (Array.isArray(value)) copy[field] = value.map((part) => mapPart(part, role, visit));
  }
  const { tool_calls: calls, function_call: call } = message;
  if (Array.isArray(calls)) copy["tool_calls"] = calls.map((entry) => mapToolCall(entry, role, visit));
  if (isJsonObject(call)) copy["function_call"] = mapInput(call, { field: "arguments", role, visit });
  return copy as ChatMessage;
}

function mapPart(part: unknown, role: string, visit: Visit): unknown {
  if (!isJsonObject(part)) return part;
  const copy: Record<string, unknown> = { ...part };
  for (const field of ["text", "refusal"]) {
    const value = part[field];
    if (typeof value === "string") copy[field] = visit(role, value, {});
  }
  // Some servers answer with Anthropic's parts.
  return part["type"] === "tool_use" ? mapInput(copy, { field: "input", role, visit }) : copy;
}

function mapToolCall(call: unknown, role: string, visit: Visit): unknown {
  if (!isJsonObject(call)) return call;
  const { function: called, custom } = call;
  return {
    ...call,
    ...(isJsonObject(called) && { function: mapInput(called, { field: "arguments", role, visit }) }),
    ...(isJsonObject(custom) && { custom: mapInput(custom, { field: "input", role, visit }) }),
  };
}

interface InputPlace {
  readonly field: "arguments" | "input";
  readonly role: string;
  readonly visit: Visit;
}

/** A call without arguments is judged as well; its name is a text of the model, too. */
function mapInput(called: JsonObject, { field, role, visit }: InputPlace): JsonObject {
  const { [field]: input, name } = called;
  const text = inputText(input);
  const seenName = typeof name === "string" ? visit(role, name, {}) : name;
  const seen = visit(role, text, typeof name === "string" ? { tool: name } : {});
  if (seen === text && seenName === name) return called;
  const shown = typeof input === "object" ? valueOf(seen) : seen;
  return { ...called, ...(seen !== text && { [field]: shown }), ...(seenName !== name && { name: seenName }) };
}

/** Input of a tool as the text to judge: strings as they are, other values as JSON. */
export function inputText(input: unknown): string {
  if (typeof input === "string") return input;
  return input === undefined || input === null ? "" : JSON.stringify(input);
}

/** Parses JSON; a text that masking has made invalid stays a string. */
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (err) {
    if (err instanceof SyntaxError) return text;
    throw err;
  }
}
