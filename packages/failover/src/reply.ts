import type { Completion, CompletionStream, Embeddings } from "@gatehouse/providers";

export interface CompleteReply {
  readonly kind: "complete";
  readonly completion: Completion;
}

export interface StreamReply {
  readonly kind: "stream";
  readonly stream: CompletionStream;
}

export interface EmbeddingsReply {
  readonly kind: "embeddings";
  readonly embeddings: Embeddings;
}

/** A target's answer: whole, or the beginning of a stream. */
export type Reply = CompleteReply | StreamReply | EmbeddingsReply;
