import type {
  LanguageModelV4Message,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { toAcceptedIds } from "./accepted-ids.ts";

interface Call {
  readonly part: LanguageModelV4ToolCallPart;
  readonly outputs: LanguageModelV4ToolResultOutput[];
}

/** Calls of one message that have one id, in order. */
interface SameId {
  readonly calls: readonly Call[];
  results: number;
}

/**
 * Tool calls of a conversation, each with its results. OpenAI's form has a message for each result, in any order; other APIs
 * require those of one message's calls together, directly after it.
 */
export class ToolCalls {
  readonly #calls = new Map<LanguageModelV4ToolCallPart, Call>();
  /** Calls of the latest message that has the id: models may use an id again. */
  readonly #latest = new Map<string, SameId>();

  /** Adds the calls of one message. */
  add(parts: readonly LanguageModelV4ToolCallPart[]): void {
    const calls = parts.map((part): Call => ({ part, outputs: [] }));
    for (const call of calls) this.#calls.set(call.part, call);
    for (const [id, same] of Map.groupBy(calls, ({ part }) => part.toolCallId)) {
      this.#latest.set(id, { calls: same, results: 0 });
    }
  }

  /** Adds a result to the next call with its id, or the last one. Returns false if no message so far has such a call. */
  answer(id: string, output: LanguageModelV4ToolResultOutput): boolean {
    const same = this.#latest.get(id);
    if (same === undefined) return false;
    const call = same.calls[same.results] ?? same.calls.at(-1);
    same.results += 1;
    call?.outputs.push(output);
    return true;
  }

  /**
   * The messages, each with the results of its calls, if any, in a message after it, in the order of the calls.
   * @param acceptedId ids of tool calls that the provider accepts; others are replaced
   */
  placeResults(messages: readonly LanguageModelV4Message[], acceptedId: RegExp): LanguageModelV4Message[] {
    if (this.#calls.size === 0) return [...messages];
    const calls = [...this.#calls.values()];
    const ids = toAcceptedIds(
      calls.map(({ part }) => part.toolCallId),
      acceptedId,
    );
    const placed = new Map(calls.map((call, index) => [call.part, withId(call, ids[index] ?? "")]));
    return messages.flatMap((message) => (message.role === "assistant" ? placeCalls(message, placed) : [message]));
  }
}

type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;

interface PlacedCall {
  readonly call: LanguageModelV4ToolCallPart;
  readonly results: readonly LanguageModelV4ToolResultPart[];
}

function withId({ part, outputs }: Call, toolCallId: string): PlacedCall {
  const { toolName } = part;
  return {
    call: { ...part, toolCallId },
    results: outputs.map((output) => ({ type: "tool-result", toolCallId, toolName, output })),
  };
}

/** A message with the ids of its calls replaced, and their results in a second one. */
function placeCalls(
  message: AssistantMessage,
  placed: ReadonlyMap<LanguageModelV4ToolCallPart, PlacedCall>,
): LanguageModelV4Message[] {
  const results: LanguageModelV4ToolResultPart[] = [];
  const content = message.content.map((part) => {
    const found = part.type === "tool-call" ? placed.get(part) : undefined;
    for (const result of found?.results ?? []) results.push(result);
    return found?.call ?? part;
  });
  const replaced = { ...message, content };
  return results.length === 0 ? [replaced] : [replaced, { role: "tool", content: results }];
}
