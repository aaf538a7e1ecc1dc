import type { Completion, CompletionStream, Embeddings } from "@gatehouse/providers";

/** An answer that came whole. */
export interface CompleteReply {
  readonly kind: "complete";
  readonly completion: Completion;
}

/** An answer that comes in pieces; its first piece has come. */
export interface StreamReply {
  readonly kind: "stream";
  readonly stream: CompletionStream;
}

/** Vectors in the order of the inputs. */
export interface EmbeddingsReply {
  readonly kind: "embeddings";
  readonly embeddings: Embeddings;
}

/** A target's answer: whole, or the beginning of a stream. */
export type Reply = CompleteReply | StreamReply | EmbeddingsReply;
