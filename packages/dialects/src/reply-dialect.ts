import type { Completion, CompletionChunk, CompletionUsage, Embeddings, TextRun } from "@gatehouse/providers";
import type { ChatRequest } from "./chat/chat-request.ts";

/** The call that a reply belongs to. */
export interface RepliedCall {
  readonly surface: string;
  readonly requestId: string;
  readonly request: Pick<ChatRequest, "parameters" | "sessionId">;
  readonly answeredBy: { readonly target: { readonly model: string } };
}

/** A reply that is known whole. */
export type WholeReply =
  | { readonly kind: "complete"; readonly completion: Completion }
  | { readonly kind: "embeddings"; readonly embeddings: Embeddings };

/** Events that differ in a text alone, as the stream carries them. */
export class EventRun {
  readonly text: string;

  /** @param texts each of which stands in JSON as it is, in an event between `before` and `after`, which have no line ends */
  constructor({ texts, before, after }: TextRun) {
    this.text = `data: ${before}${texts.join(`${after}\n\ndata: ${before}`)}${after}\n\n`;
  }
}

/** An event of a stream: its JSON, or the object to be encoded, which may be large; or several. */
export type ReplyEvent = string | object | EventRun;

/** The events of one stream, and what they hold. */
export interface ReplyEvents {
  /** Everything the model has said so far. */
  readonly content: string;
  /** Text that the model has written beside it, and the caller does not get. */
  readonly beside: string;
  /** Usage that the provider reported last, if any. */
  readonly usage: CompletionUsage | undefined;
  /** The events to send for one chunk of the provider. */
  push(chunk: CompletionChunk): readonly ReplyEvent[];
  /** The last events of a stream that came to its end, before `[DONE]`. */
  finish(usage: CompletionUsage): readonly object[];
}

/** The form of replies on a group of routes. */
export interface ReplyDialect {
  /** The JSON of a whole reply; a large one is written in slices. */
  toBody(call: RepliedCall, reply: WholeReply, usage: CompletionUsage): string | Promise<string>;
  openEvents(call: RepliedCall): ReplyEvents;
}
