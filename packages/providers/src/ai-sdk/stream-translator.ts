import type { LanguageModelV4StreamPart, LanguageModelV4ToolCall } from "@ai-sdk/provider";
import type { CompletionChunk, CompletionDelta } from "../forms/completion.ts";
import { toFinishReason } from "./finish-reason.ts";
import { fromStreamError } from "./foreign-error.ts";
import { type CompletionIdentity, toArguments } from "./to-completion.ts";
import { toUsage } from "./to-usage.ts";

type FinishPart = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/** Turns the AI SDK's stream parts into OpenAI's chunks: the role first, then deltas, then the finish, then the usage. */
export class StreamTranslator {
  readonly #provider: string;
  readonly #secrets: readonly string[];
  readonly #createIdentity: () => CompletionIdentity;
  #known: CompletionIdentity | undefined;
  #roleSent = false;
  #finished = false;
  readonly #toolIndexes = new Map<string, number>();
  /** Ids of tool calls that have no arguments yet. */
  readonly #callsWithoutArguments = new Set<string>();

  /** @param secrets removed from all messages @param createIdentity called once, at the first part that needs it */
  constructor(provider: string, secrets: readonly string[], createIdentity: () => CompletionIdentity) {
    this.#provider = provider;
    this.#secrets = secrets;
    this.#createIdentity = createIdentity;
  }

  get #identity(): CompletionIdentity {
    return (this.#known ??= this.#createIdentity());
  }

  /** Whether the finish has been translated; nothing after it matters. */
  get finished(): boolean {
    return this.#finished;
  }

  /** Chunks for one part; often none. @throws ProviderError for an error part, and for a finish part without a valid reason. */
  translate(part: LanguageModelV4StreamPart): readonly CompletionChunk[] {
    switch (part.type) {
      case "response-metadata":
        // All chunks have the same id and model.
        if (this.#roleSent) return [];
        this.#known = {
          ...this.#identity,
          id: part.id || this.#identity.id,
          model: part.modelId || this.#identity.model,
        };
        return [];
      case "text-delta":
        return this.#deltas({ content: part.delta });
      case "reasoning-delta":
        return this.#deltas({ reasoning_content: part.delta });
      case "tool-input-start":
        return part.providerExecuted === true ? [] : this.#toolStart(part.id, part.toolName, "");
      case "tool-input-delta":
        return this.#toolArguments(part.id, part.delta);
      case "tool-call":
        return this.#wholeToolCall(part);
      case "finish":
        return this.#finish(part);
      case "error":
        throw fromStreamError(part.error, this.#provider, this.#secrets);
      // The parts below have no counterpart in OpenAI's stream.
      case "stream-start":
      case "text-start":
      case "text-end":
      case "reasoning-start":
      case "reasoning-end":
      case "reasoning-file":
      case "tool-input-end":
      case "tool-result":
      case "tool-approval-request":
      case "custom":
      case "file":
      case "source":
      case "ping":
      case "raw":
        break;
    }
    return [];
  }

  #toolStart(id: string, name: string, input: string): readonly CompletionChunk[] {
    const index = this.#toolIndexes.size;
    this.#toolIndexes.set(id, index);
    if (input === "") this.#callsWithoutArguments.add(id);
    return this.#deltas({ tool_calls: [{ index, id, type: "function", function: { name, arguments: input } }] });
  }

  #toolArguments(id: string, delta: string): readonly CompletionChunk[] {
    const index = this.#toolIndexes.get(id);
    if (index === undefined || delta === "") return [];
    this.#callsWithoutArguments.delete(id);
    return this.#deltas({ tool_calls: [{ index, function: { arguments: delta } }] });
  }

  /** Adds nothing for a call that has already arrived in pieces, unless the pieces had no arguments. */
  #wholeToolCall(call: LanguageModelV4ToolCall): readonly CompletionChunk[] {
    const { toolCallId: id, toolName } = call;
    if (call.providerExecuted === true) return [];
    if (!this.#toolIndexes.has(id)) return this.#toolStart(id, toolName, toArguments(call));
    return this.#callsWithoutArguments.has(id) ? this.#toolArguments(id, toArguments(call)) : [];
  }

  #finish({ finishReason, usage }: FinishPart): readonly CompletionChunk[] {
    const reason = toFinishReason(finishReason, this.#provider);
    this.#finished = true;
    const counts = toUsage(usage);
    const finish = [...this.#role(), this.#chunk({}, reason)];
    return counts === undefined ? finish : [...finish, { ...this.#frame(), choices: [], usage: counts }];
  }

  #deltas(delta: CompletionDelta): readonly CompletionChunk[] {
    return [...this.#role(), this.#chunk(delta, null)];
  }

  #role(): readonly CompletionChunk[] {
    if (this.#roleSent) return [];
    this.#roleSent = true;
    return [this.#chunk({ role: "assistant", content: "" }, null)];
  }

  #chunk(delta: CompletionDelta, finishReason: string | null): CompletionChunk {
    return { ...this.#frame(), choices: [{ index: 0, delta, finish_reason: finishReason }] };
  }

  #frame(): CompletionIdentity & { readonly object: string } {
    return { ...this.#identity, object: "chat.completion.chunk" };
  }
}
