import type { JsonObject } from "@gatehouse/json";
import { type EventView, isNamed, objectsOf, pick, pickNamed, type ReplyView, toCounts } from "../ai-sdk/reply-view.ts";
import { asRecord } from "../exchange/json.ts";

/** Members of the blocks, and of their deltas, that reach callers, with the values of those that compatible servers leave out. */
const blockParts: Readonly<Record<string, JsonObject>> = {
  text: { text: "" },
  thinking: { thinking: "", signature: "" },
  redacted_thinking: { data: "" },
  tool_use: { id: undefined, name: undefined, input: {} },
};
const deltaParts: Readonly<Record<string, JsonObject>> = {
  text_delta: { text: undefined },
  thinking_delta: { thinking: undefined },
  signature_delta: { signature: undefined },
  input_json_delta: { partial_json: undefined },
};

const messageMembers = ["id", "type", "role", "model", "stop_reason", "stop_sequence"];
const cacheCounts = ["cache_creation_input_tokens", "cache_read_input_tokens"];

/**
 * Replies of Anthropic's Messages API: text, thinking and tool calls. Anthropic adds types of blocks, deltas and events at any
 * time, and asks clients to skip unknown ones (its documentation, "Versioning").
 */
export const replyView: ReplyView = {
  whole(reply) {
    if (!Array.isArray(reply["content"])) return reply;
    const content = objectsOf(reply["content"]).flatMap((block) => toKnown(block, blockParts) ?? []);
    const usage = toUsage(reply["usage"], ["input_tokens", "output_tokens"]);
    return { ...pickNamed(reply, messageMembers), type: "message", content, usage };
  },
  createEventView,
  isFinish: ({ type, delta }) => type === "message_delta" && isNamed(asRecord(delta)?.["stop_reason"]),
};

/** Deltas with the text of blocks that begin with a part of it, which the package does not read. */
const firstDeltas: Readonly<Record<string, { readonly delta: string; readonly text: string }>> = {
  text: { delta: "text_delta", text: "text" },
  thinking: { delta: "thinking_delta", text: "thinking" },
};

function createEventView(): EventView {
  const skipped = new Set<unknown>();
  let hasBegun = false;
  return (event) => {
    const { type, index } = event;
    switch (type) {
      case "message_start": {
        hasBegun = true;
        const message = asRecord(event["message"]) ?? {};
        const usage = toUsage(message["usage"], ["input_tokens"]);
        return [{ type, message: { ...pickNamed(message, messageMembers), usage } }];
      }
      case "content_block_start": {
        const block = toKnown(asRecord(event["content_block"]) ?? {}, blockParts);
        if (block === undefined) skipped.add(index);
        else skipped.delete(index);
        return block === undefined ? [] : [{ type, index, content_block: block }, ...toFirstDelta(index, block)];
      }
      case "content_block_delta": {
        const delta = skipped.has(index) ? undefined : toKnown(asRecord(event["delta"]) ?? {}, deltaParts);
        return delta === undefined ? [] : [{ type, index, delta }];
      }
      case "content_block_stop":
        return skipped.has(index) ? [] : [event];
      case "message_delta": {
        const delta = pickNamed(asRecord(event["delta"]) ?? {}, ["stop_reason", "stop_sequence"]);
        // The prompt's count is in the first event, and here where that is missing.
        const required = hasBegun ? ["output_tokens"] : ["output_tokens", "input_tokens"];
        return [{ type, delta, usage: toUsage(event["usage"], required, ["input_tokens"]) }];
      }
      case "message_stop":
      case "ping":
      case "error":
        return [event];
      default:
        return [];
    }
  };
}

function toFirstDelta(index: unknown, block: JsonObject): readonly JsonObject[] {
  const first = firstDeltas[String(block["type"])];
  const text = first && block[first.text];
  if (first === undefined || !isNamed(text)) return [];
  return [{ type: "content_block_delta", index, delta: { type: first.delta, [first.text]: text } }];
}

/** The known members of a block or delta; undefined for one of an unknown type. */
function toKnown(part: JsonObject, parts: Readonly<Record<string, JsonObject>>): JsonObject | undefined {
  const type = String(part["type"]);
  const members = Object.hasOwn(parts, type) ? parts[type] : undefined;
  return members && { type, ...members, ...pick(part, Object.keys(members)) };
}

function toUsage(usage: unknown, required: readonly string[], others: readonly string[] = []): JsonObject {
  const details = asRecord(asRecord(usage)?.["output_tokens_details"]);
  return {
    ...toCounts(usage, required, [...others, ...cacheCounts]),
    ...(details && { output_tokens_details: toCounts(details, [], ["thinking_tokens"]) }),
  };
}
