import type { ChatMessage, Completion, CompletionChunk, CompletionUsage } from "@gatehouse/providers";
import { answerOf, textBesideContent } from "./chat/chat-reply.ts";

/** All text that a model generated in a completion, for counting: all choices, reasoning and tool calls. */
export function generatedText({ choices }: Completion): string {
  return choices.map(({ message }) => textOfMessage(message)).join("");
}

/** Collects the text that a model generates in a stream, in order of arrival. */
export class GeneratedText {
  #text = "";
  #usage: CompletionUsage | undefined;
  #head: CompletionChunk | undefined;

  get text(): string {
    return this.#text;
  }

  /** Latest usage reported by the provider, if any. */
  get usage(): CompletionUsage | undefined {
    return this.#usage;
  }

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
  return answerOf(message) + textBesideContent(message);
}
