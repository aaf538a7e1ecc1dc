import type {
  LanguageModelV4Message,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";

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

  /** The message, and a second one with the results of its calls, in the order of the calls, if there are any. */
  withResults(message: LanguageModelV4Message): LanguageModelV4Message[] {
    if (message.role !== "assistant") return [message];
    const results = message.content.flatMap((part) => (part.type === "tool-call" ? this.#resultsOf(part) : []));
    return results.length === 0 ? [message] : [message, { role: "tool", content: results }];
  }

  #resultsOf(part: LanguageModelV4ToolCallPart): LanguageModelV4ToolResultPart[] {
    const { toolCallId, toolName } = part;
    const outputs = this.#calls.get(part)?.outputs ?? [];
    return outputs.map((output) => ({ type: "tool-result", toolCallId, toolName, output }));
  }
}
