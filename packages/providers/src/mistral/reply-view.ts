import type { JsonObject } from "@gatehouse/json";
import { isCount, isNamed, objectsOf, pick, pickNamed, type ReplyView, toCounts } from "../ai-sdk/reply-view.ts";
import { asRecord } from "../exchange/json.ts";
import { isError } from "../openai/find-reply-error.ts";

const counts = ["prompt_tokens", "completion_tokens", "total_tokens"];

/**
 * Chat completions of Mistral: text, thinking and tool calls of the first choice. A server may send others that were not asked for,
 * whose text must not be joined to the answer's.
 */
export const replyView: ReplyView = {
  whole(reply) {
    const [first] = objectsOf(reply["choices"]);
    const message = asRecord(first?.["message"]);
    if (message === undefined) return reply;
    const choice = { ...toChoice(first), message: { role: "assistant", ...toMessage(message) } };
    const usage = toUsage(reply["usage"]);
    return { ...toIdentity(reply), object: "chat.completion", choices: [choice], usage };
  },
  createEventView() {
    const findAnswer = createAnswerFinder();
    return (event) => {
      if (isError(event["error"]) || event["object"] === "error") return [event];
      if (!Array.isArray(event["choices"])) return [];
      // A chunk may lack the answer's choice, as OpenAI's with usage; the package reads the first one of each chunk.
      const answer = findAnswer(objectsOf(event["choices"]));
      const choice = { ...toChoice(answer), delta: toMessage(asRecord(answer?.["delta"]) ?? {}) };
      const usage = asRecord(event["usage"]);
      return [{ ...toIdentity(event), choices: [choice], ...(usage && { usage: toUsage(usage) }) }];
    };
  },
  isFinish: ({ choices }) => isNamed(objectsOf(choices)[0]?.["finish_reason"]),
};

/** Finds the answer in the choices of each chunk: the first choice of the first, by its index, which servers may leave out. */
function createAnswerFinder(): (choices: readonly JsonObject[]) => JsonObject | undefined {
  let answer: unknown;
  return (choices) => {
    const [first] = choices;
    if (first !== undefined) answer ??= isCount(first["index"]) ? first["index"] : 0;
    return choices.find(({ index }) => index === answer) ?? choices.find(({ index }) => !isCount(index));
  };
}

function toIdentity(reply: JsonObject): JsonObject {
  const { created } = reply;
  return { ...pickNamed(reply, ["id", "model"]), ...(isCount(created) && { created }) };
}

function toChoice(answer: JsonObject = {}): JsonObject {
  return { index: 0, ...pickNamed(answer, ["finish_reason"]) };
}

function toMessage(message: JsonObject): JsonObject {
  const { content } = message;
  const parts = Array.isArray(content) ? objectsOf(content).flatMap((part) => toKnownPart(part) ?? []) : content;
  return { ...pick(message, ["tool_calls"]), ...(parts === undefined ? {} : { content: parts }) };
}

/** A text, or thinking with nothing but its texts: Mistral puts references beside them. Undefined for any other part. */
function toKnownPart(part: JsonObject): JsonObject | undefined {
  const { type, thinking } = part;
  if (isTextPart(part)) return part;
  return type === "thinking" && Array.isArray(thinking)
    ? { type, thinking: objectsOf(thinking).filter(isTextPart) }
    : undefined;
}

function isTextPart({ type, text }: JsonObject): boolean {
  return type === "text" && typeof text === "string";
}

function toUsage(usage: unknown): JsonObject {
  const given = asRecord(usage) ?? {};
  const details = asRecord(given["prompt_tokens_details"]) ?? asRecord(given["prompt_token_details"]);
  return {
    ...toCounts(given, counts, ["num_cached_tokens"]),
    ...(details && { prompt_tokens_details: toCounts(details, [], ["cached_tokens"]) }),
  };
}
