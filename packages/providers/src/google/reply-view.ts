import type { JsonObject } from "@gatehouse/json";
import { isCount, isNamed, objectsOf, pick, pickNamed, type ReplyView, toCounts } from "../ai-sdk/reply-view.ts";
import { asRecord } from "../exchange/json.ts";

const promptCount = "promptTokenCount";
const otherCounts = [
  "candidatesTokenCount",
  "toolUsePromptTokenCount",
  "thoughtsTokenCount",
  "cachedContentTokenCount",
  "totalTokenCount",
];

/**
 * Replies of Gemini: text, thinking and function calls of the candidates. What has another form than Gemini's is left as it is,
 * for the package to refuse.
 */
export const replyView: ReplyView = {
  whole(reply) {
    const isAnswer = reply["candidates"] !== undefined || reply["promptFeedback"] !== undefined;
    return isAnswer ? toView(reply) : reply;
  },
  createEventView: () => (event) => [toView(event)],
  isFinish({ candidates, promptFeedback }) {
    const isBlocked = asRecord(promptFeedback)?.["blockReason"] !== undefined;
    return isBlocked || isNamed(objectsOf(candidates)[0]?.["finishReason"]);
  },
  modelOf: ({ modelVersion }) => (isNamed(modelVersion) ? modelVersion : undefined),
};

function toView(reply: JsonObject): JsonObject {
  const { candidates, promptFeedback } = reply;
  const feedback = asRecord(promptFeedback);
  return {
    ...pick(reply, ["error", "candidates", "promptFeedback"]),
    ...pickNamed(reply, ["responseId"]),
    ...(Array.isArray(candidates) && { candidates: candidates.map(toCandidate) }),
    ...(feedback && { promptFeedback: pick(feedback, ["blockReason"]) }),
    ...toUsage(reply["usageMetadata"]),
  };
}

function toCandidate(given: unknown): unknown {
  const candidate = asRecord(given);
  if (candidate === undefined) return given;
  const parts: unknown = asRecord(candidate["content"])?.["parts"];
  return {
    ...pick(candidate, ["content", "finishReason", "continuationToken"]),
    ...(Array.isArray(parts) && { content: { parts: parts.map(toPart) } }),
  };
}

/** A part of another type becomes an empty one. */
function toPart(given: unknown): unknown {
  const part = asRecord(given);
  if (part === undefined) return given;
  return { ...pick(part, ["text", "thought", "functionCall"]), ...pickNamed(part, ["thoughtSignature"]) };
}

/** The package reports 0 for missing counts. The answer's may be missing, where there is none; the prompt's is in all usage. */
function toUsage(usage: unknown): JsonObject {
  const isUsage = isCount(asRecord(usage)?.[promptCount]);
  return isUsage ? { usageMetadata: toCounts(usage, [promptCount], otherCounts) } : {};
}
