import type { JsonObject } from "@gatehouse/json";
import { isCount, isNamed, objectsOf, pick, pickNamed, type ReplyView, toCounts } from "../ai-sdk/reply-view.ts";
import { asRecord } from "../exchange/json.ts";
import { isError } from "../openai/find-reply-error.ts";

const counts = ["prompt_tokens", "completion_tokens", "total_tokens"];

/** Chat completions of Mistral: text, thinking and tool calls of the first choice. */
export const replyView: ReplyView = {
  whole(reply) {
    const message = asRecord(choiceOf(reply)?.["message"]);
    if (message === undefined) return reply;
    const choice = { ...toChoice(reply), message: { role: "assistant", ...toMessage(message) } };
    const usage = toUsage(reply["usage"]);
    return { ...toIdentity(reply), object: "chat.completion", choices: [choice], usage };
  },
  createEventView: () => (event) => {
    if (isError(event["error"]) || event["object"] === "error") return [event];
    if (!Array.isArray(event["choices"])) return [];
    // A chunk may have usage and no choice, as in OpenAI's form; the package reads the first one of each chunk.
    const choice = { ...toChoice(event), delta: toMessage(asRecord(choiceOf(event)?.["delta"]) ?? {}) };
    const usage = asRecord(event["usage"]);
    return [{ ...toIdentity(event), choices: [choice], ...(usage && { usage: toUsage(usage) }) }];
  },
  isFinish: (event) => isNamed(choiceOf(event)?.["finish_reason"]),
};

function toIdentity(reply: JsonObject): JsonObject {
  const { created } = reply;
  return { ...pickNamed(reply, ["id", "model"]), ...(isCount(created) && { created }) };
}

function choiceOf(reply: JsonObject): JsonObject | undefined {
  return objectsOf(reply["choices"])[0];
}

function toChoice(reply: JsonObject): JsonObject {
  return { index: 0, ...pickNamed(choiceOf(reply) ?? {}, ["finish_reason"]) };
}

function toMessage(message: JsonObject): JsonObject {
  const { content } = message;
  const parts = Array.isArray(content) ? objectsOf(content).filter(isKnownPart) : content;
  return { ...pick(message, ["tool_calls"]), ...(parts === undefined ? {} : { content: parts }) };
}

function isKnownPart({ type, text, thinking }: JsonObject): boolean {
  return type === "text" ? typeof text === "string" : type === "thinking" && Array.isArray(thinking);
}

function toUsage(usage: unknown): JsonObject {
  const given = asRecord(usage) ?? {};
  const details = asRecord(given["prompt_tokens_details"]) ?? asRecord(given["prompt_token_details"]);
  return {
    ...toCounts(given, counts, ["num_cached_tokens"]),
    ...(details && { prompt_tokens_details: toCounts(details, [], ["cached_tokens"]) }),
  };
}
