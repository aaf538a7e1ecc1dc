import type { Completion, CompletionChunk, CompletionUsage, Embeddings, TextRun } from "@gatehouse/providers";
import type { ChatRequest } from "./chat/chat-request.ts";

/** Part of a call that its reply depends on: surface, request id, and session. */
export interface RepliedCall {
  readonly surface: string;
  readonly requestId: string;
  readonly request: Pick<ChatRequest, "parameters" | "sessionId">;
}

/** A reply that is not streamed. */
export type WholeReply =
  | { readonly kind: "complete"; readonly completion: Completion }
  | { readonly kind: "embeddings"; readonly embeddings: Embeddings };

/** Encoded events that differ in their text alone. */
export class EventRun {
  readonly text: string;

  /** @param texts texts without JSON escapes, each in an event between `before` and `after`, which have no line ends */
  constructor({ texts, before, after }: TextRun) {
    this.text = `data: ${before}${texts.join(`${after}\n\ndata: ${before}`)}${after}\n\n`;
  }
}

/** An event of a stream: its JSON, an object to encode, possibly large, or several events. */
export type ReplyEvent = string | object | EventRun;

/** Events of one stream, and the text in them. */
export interface ReplyEvents {
  /** The model's text so far. */
  readonly content: string;
  /** Text so far that the caller does not get. */
  readonly beside: string;
  /** Latest usage reported by the provider, if any. */
  readonly usage: CompletionUsage | undefined;
  /** Events to send for one chunk of the provider. */
  push(chunk: CompletionChunk): readonly ReplyEvent[];
  /** Last events of a stream that has ended normally, before `[DONE]`. */
  finish(usage: CompletionUsage): readonly object[];
}

/** Encoder of the replies of one group of routes, whole or streamed: `chatDialect` or `wrapperDialect`. */
export interface ReplyDialect {
  /** JSON of a whole reply; a large one is written in slices. */
  toBody(call: RepliedCall, reply: WholeReply, usage: CompletionUsage): string | Promise<string>;
  openEvents(call: RepliedCall): ReplyEvents;
}
