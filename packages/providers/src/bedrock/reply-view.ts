import type { JsonObject } from "@gatehouse/json";
import { isCount, isNamed, objectsOf, pick, type ReplyView, toCounts } from "../ai-sdk/reply-view.ts";
import { asRecord } from "../exchange/json.ts";

const counts = ["inputTokens", "outputTokens"];
const cacheCounts = ["cacheReadInputTokens", "cacheWriteInputTokens"];
const reasoningTexts = ["text", "signature", "data", "redactedContent"];

/** Replies of the Converse API: text, reasoning and tool calls. Events of its streams are known by their members. */
export const replyView: ReplyView = {
  whole(reply) {
    const message = asRecord(asRecord(reply["output"])?.["message"]);
    if (message === undefined || !Array.isArray(message["content"])) return reply;
    const content = objectsOf(message["content"]).map(toKnownBlock);
    return {
      ...pick(reply, ["stopReason", "additionalModelResponseFields"]),
      output: { message: { role: "assistant", content } },
      usage: toCounts(reply["usage"], [...counts, "totalTokens"], cacheCounts),
    };
  },
  createEventView: () => (event) => {
    const { delta, usage } = event;
    if (delta !== undefined && !isKnownDelta(asRecord(delta) ?? {})) return [];
    return usage === undefined || hasCounts(asRecord(usage) ?? {}) ? [event] : [];
  },
  isFinish: ({ stopReason }) => isNamed(stopReason),
};

function toKnownBlock(block: JsonObject): JsonObject {
  const reasoning = asRecord(block["reasoningContent"]);
  const isKnown =
    asRecord(reasoning?.["reasoningText"]) !== undefined ||
    asRecord(reasoning?.["redactedReasoning"]) !== undefined ||
    typeof reasoning?.["redactedContent"] === "string";
  return pick(block, ["text", "citationsContent", "toolUse", ...(isKnown ? ["reasoningContent"] : [])]);
}

function isKnownDelta(delta: JsonObject): boolean {
  const reasoning = asRecord(delta["reasoningContent"]);
  return (
    typeof delta["text"] === "string" ||
    typeof asRecord(delta["toolUse"])?.["input"] === "string" ||
    reasoningTexts.some((name) => typeof reasoning?.[name] === "string")
  );
}

function hasCounts(usage: JsonObject): boolean {
  return counts.every((name) => isCount(usage[name]));
}
