import type { Completion, CompletionStream, Embeddings } from "@gatehouse/providers";

/** A whole answer. */
export interface CompleteReply {
  readonly kind: "complete";
  readonly completion: Completion;
}

/** A streamed answer whose first piece has arrived. */
export interface StreamReply {
  readonly kind: "stream";
  readonly stream: CompletionStream;
}

/** Vectors, in the order of the inputs. */
export interface EmbeddingsReply {
  readonly kind: "embeddings";
  readonly embeddings: Embeddings;
}

/** A target's answer: whole, or the beginning of a stream. */
export type Reply = CompleteReply | StreamReply | EmbeddingsReply;
