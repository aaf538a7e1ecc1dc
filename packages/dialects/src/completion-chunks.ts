import type { ChatMessage, Completion, CompletionChoice, CompletionChunk, CompletionDelta } from "@gatehouse/providers";
import { textOf } from "@gatehouse/tokens";

/** Fields of a completion that every chunk repeats, as in OpenAI's streams; other fields are in the first chunk. */
const repeated: ReadonlySet<string> = new Set(["id", "model", "created", "system_fingerprint", "service_tier"]);
const replaced: ReadonlySet<string> = new Set(["object", "choices", "usage"]);

/** A whole completion as an equivalent stream: for each choice its role, its message, and its finish; token counts last, if any. */
export function toChunks({ usage, choices, ...completion }: Completion): readonly CompletionChunk[] {
  const { id, model, created } = completion;
  const fields = Object.entries(completion).filter(([name]) => !replaced.has(name));
  const frame = { ...Object.fromEntries(fields.filter(([name]) => repeated.has(name))), id, model, created };
  const first = { ...Object.fromEntries(fields), id, model, created };
  const chunks = choices
    .flatMap(toChoices)
    .map((choice, index) => ({ ...(index === 0 ? first : frame), choices: [choice] }));
  return usage === undefined ? chunks : [...chunks, { ...frame, choices: [], usage }];
}

function toChoices({ index, message, finish_reason, logprobs, ...rest }: CompletionChoice) {
  const { role, ...said } = message;
  const hasLogprobs = logprobs !== undefined && logprobs !== null;
  const opening = { index, delta: { role, content: "" }, finish_reason: null };
  const content = { index, delta: toDelta(said), finish_reason: null, ...(hasLogprobs ? { logprobs } : {}) };
  return [opening, content, { ...rest, index, delta: {}, finish_reason }];
}

/**
 * After the role, text in a delta is never null, and a list of parts, a form that only messages have, becomes their text; tool calls
 * get the index by which their parts are found.
 */
function toDelta({ content, tool_calls: calls, ...rest }: Omit<ChatMessage, "role">): CompletionDelta {
  return {
    ...rest,
    ...(typeof content === "string" || Array.isArray(content) ? { content: textOf(content) } : {}),
    ...(Array.isArray(calls) ? { tool_calls: calls.map((call: object, index) => ({ index, ...call })) } : {}),
  };
}
