import { isJsonObject, type JsonObject } from "@gatehouse/json";

/**
 * A message or delta whose `content` is a list of parts, as some compatible servers answer, in OpenAI's form for answers: text as
 * `content`, and the others in the members that OpenAI or most compatible servers use for them, unless the message has them.
 * Parts of other types are left out. A message without a list is returned unchanged.
 */
export function flattenContent(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const parts = content.filter(isJsonObject);
  const flat: Record<string, unknown> = { ...message, content: joined(parts, "text") };
  const add = (member: string, value: string | readonly unknown[]) => {
    if (value.length > 0) flat[member] ??= value;
  };
  add("reasoning_content", ofType(parts, "thinking").map(thinkingText).join(""));
  add("refusal", joined(parts, "refusal"));
  add("images", ofType(parts, "image_url"));
  add("tool_calls", ofType(parts, "tool_use").map(toToolCall));
  return flat;
}

function ofType(parts: readonly JsonObject[], type: string): readonly JsonObject[] {
  return parts.filter((part) => part["type"] === type);
}

/** Types of the parts that have a member; those of OpenAI's Responses API are `output_text`. */
const typesOf = { text: new Set<unknown>(["text", "output_text"]), refusal: new Set<unknown>(["refusal"]) };

/** The texts of the parts of a type; some servers leave the type out. */
function joined(parts: readonly JsonObject[], type: keyof typeof typesOf): string {
  const read = parts.filter((part) => typesOf[type].has(part["type"] ?? type));
  return read.map(({ [type]: text }) => (typeof text === "string" ? text : "")).join("");
}

/** Mistral's `thinking` is a list of text parts, Anthropic's is a text. */
function thinkingText({ thinking }: JsonObject): string {
  if (typeof thinking === "string") return thinking;
  return Array.isArray(thinking) ? joined(thinking.filter(isJsonObject), "text") : "";
}

/** Anthropic's part for a tool call, whose input is an object. */
function toToolCall({ id, name, input }: JsonObject): JsonObject {
  const text = typeof input === "string" ? input : JSON.stringify(input ?? {});
  return { id, type: "function", function: { name, arguments: text } };
}
