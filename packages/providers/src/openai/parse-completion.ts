import type { JsonObject } from "@gatehouse/json";
import { asRecord } from "../exchange/json.ts";
import type {
  Completion,
  CompletionChoice,
  CompletionChunk,
  CompletionChunkChoice,
  CompletionUsage,
} from "../forms/completion.ts";
import { isTokenCount } from "../forms/token-count.ts";
import { flattenContent } from "./flatten-content.ts";

/** Most choices of one reply, or of a stream: eight times what a caller may ask for. A reply with more is refused. */
export const choicesMax = 1_024;

/**
 * A reply's JSON as a Completion, or undefined where it is not one. A whole reply is returned unchanged. Fields that compatible
 * servers leave out are filled in: `created` by `nowSeconds`, and `id` and `model` by `""`, which `ReplyIdentity` replaces.
 */
export function parseCompletion(json: unknown, nowSeconds: number): Completion | undefined {
  const reply = asRecord(json);
  if (reply === undefined || !Array.isArray(reply.choices) || reply.choices.length === 0) return undefined;
  if (reply.choices.length > choicesMax) return undefined;
  if (isWholeCompletion(reply)) return reply;
  const choices: CompletionChoice[] = [];
  for (const [position, value] of reply.choices.entries()) {
    const choice = parseChoice(asRecord(value), position);
    if (choice === undefined) return undefined;
    choices.push(choice);
  }
  const { usage: reported, ...rest } = reply;
  const usage = parseUsage(reported);
  return { ...rest, ...identity(reply, nowSeconds), choices, ...(usage === undefined ? {} : { usage }) };
}

/** Whether nothing has to be filled in, so that the reply need not be copied. */
function isWholeCompletion(reply: JsonObject): reply is Completion & JsonObject {
  const { usage, choices } = reply;
  if (!hasIdentity(reply) || (usage !== undefined && !isWholeUsage(usage))) return false;
  return Array.isArray(choices) && choices.every(isWholeChoice);
}

function isWholeChoice(value: unknown): boolean {
  const choice = asRecord(value);
  const message = asRecord(choice?.message);
  if (typeof message?.role !== "string" || !isText(message.content)) return false;
  return isIndex(choice?.index) && isFinish(choice?.finish_reason);
}

function parseChoice(choice: JsonObject | undefined, position: number): CompletionChoice | undefined {
  const given = asRecord(choice?.message);
  const message = given && flattenContent(given);
  if (message === undefined || !isText(message.content)) return undefined;
  const { index, finish_reason: finishReason } = choice ?? {};
  return {
    ...choice,
    index: isIndex(index) ? index : position,
    message: { ...message, role: typeof message.role === "string" ? message.role : "assistant" },
    finish_reason: toFinish(finishReason),
  };
}

/** One event of a stream as a CompletionChunk, in the manner of {@link parseCompletion}; undefined where it is not one. */
export function parseCompletionChunk(json: unknown, nowSeconds: number): CompletionChunk | undefined {
  const chunk = asRecord(json);
  if (chunk === undefined) return undefined;
  if (Array.isArray(chunk.choices) && chunk.choices.length > choicesMax) return undefined;
  if (isWholeChunk(chunk)) return chunk;
  const { usage: reported, ...rest } = chunk;
  const usage = parseUsage(reported);
  const listed = chunk.choices ?? (asRecord(reported) === undefined ? undefined : []);
  if (!Array.isArray(listed)) return undefined;
  const choices: CompletionChunkChoice[] = [];
  for (const [position, value] of listed.entries()) {
    const choice = parseChunkChoice(asRecord(value), position);
    if (choice === undefined) return undefined;
    choices.push(choice);
  }
  return { ...rest, ...identity(chunk, nowSeconds), choices, ...(usage === undefined ? {} : { usage }) };
}

function isWholeChunk(chunk: JsonObject): chunk is CompletionChunk & JsonObject {
  const { usage, choices } = chunk;
  if (!hasIdentity(chunk) || (usage !== undefined && usage !== null && !isWholeUsage(usage))) return false;
  return Array.isArray(choices) && choices.every(isWholeChunkChoice);
}

function isWholeChunkChoice(value: unknown): boolean {
  const choice = asRecord(value);
  const delta = asRecord(choice?.delta);
  if (delta === undefined || !isIndex(choice?.index)) return false;
  return isFinish(choice?.finish_reason) && isText(delta.content);
}

function parseChunkChoice(choice: JsonObject | undefined, position: number): CompletionChunkChoice | undefined {
  const delta = choice?.delta ?? {};
  const fields = asRecord(delta);
  if (choice === undefined || fields === undefined) return undefined;
  const flat = flattenContent(fields);
  if (!isText(flat.content)) return undefined;
  const { index, finish_reason: finishReason } = choice;
  return {
    ...choice,
    index: isIndex(index) ? index : position,
    delta: flat,
    finish_reason: toFinish(finishReason),
  };
}

/** Token counts, or undefined where they are incomplete or invalid and have to be counted. A missing total is the sum. */
function parseUsage(json: unknown): CompletionUsage | undefined {
  const usage = asRecord(json);
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage ?? {};
  if (!isTokenCount(prompt) || !isTokenCount(completion)) return undefined;
  return {
    ...usage,
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: isTokenCount(total) ? total : prompt + completion,
  };
}

function isWholeUsage(json: unknown): boolean {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = asRecord(json) ?? {};
  return isTokenCount(prompt) && isTokenCount(completion) && isTokenCount(total);
}

function hasIdentity({ id, model, created }: JsonObject): boolean {
  return typeof id === "string" && typeof model === "string" && typeof created === "number";
}

function identity(reply: JsonObject, nowSeconds: number): Pick<Completion, "id" | "model" | "created"> {
  const { id, model, created } = reply;
  return {
    id: typeof id === "string" ? id : "",
    model: typeof model === "string" ? model : "",
    created: typeof created === "number" ? created : nowSeconds,
  };
}

/** Whether a choice, a tool call or a vector has this index; any other number, such as an infinite one, is a missing index. */
export function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

/** Null is a finish that the server did not name. */
function isFinish(reason: unknown): boolean {
  return reason === null || (typeof reason === "string" && reason !== "");
}

function toFinish(reason: unknown): string | null {
  return typeof reason === "string" && reason !== "" ? reason : null;
}

function isText(content: unknown): content is string | null | undefined {
  return content === undefined || content === null || typeof content === "string";
}
