import type { ChatMessage, Completion, CompletionChunk, CompletionUsage } from "@gatehouse/providers";
import { textOf } from "@gatehouse/tokens";
import { textBesideContent } from "./chat/chat-reply.ts";

/** Everything that a model has written in a completion, all choices, reasoning and tool calls included; for counting. */
export function generatedText({ choices }: Completion): string {
  return choices.map(({ message }) => textOfMessage(message)).join("");
}

/** Collects what a model writes in a stream, in the order in which it comes. */
export class GeneratedText {
  #text = "";
  #usage: CompletionUsage | undefined;
  #head: CompletionChunk | undefined;

  get text(): string {
    return this.#text;
  }

  /** Usage that the provider reported last, if any. */
  get usage(): CompletionUsage | undefined {
    return this.#usage;
  }

  /** The stream's first chunk. */
  get head(): CompletionChunk | undefined {
    return this.#head;
  }

  add(chunk: CompletionChunk): void {
    this.#head ??= chunk;
    this.#usage = chunk.usage ?? this.#usage;
    for (const { delta } of chunk.choices) this.#text += textOfMessage(delta);
  }
}

type Message = Pick<ChatMessage, "content"> & Readonly<Record<string, unknown>>;

function textOfMessage(message: Message): string {
  return textOf(message.content) + textBesideContent(message);
}
