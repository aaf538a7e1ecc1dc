import { messageBytesMax } from "../binding.ts";

/** Bounds of one hot stream (docs/adr/0018); callers and servers share them. */
export const hotStreamBounds = {
  /** Outstanding calls on one stream; further ones are refused at once. */
  inFlightMax: 10_000,
  /** Largest request on the stream; a larger one would delay those behind it, and is sent as a unary call. */
  requestBytesMax: 64 * 1024,
  /** Largest reply; the rest of a gRPC message is for its frame. */
  replyBytesMax: messageBytesMax - 1_024,
  /** Size at which a message of the stream is full. A larger frame is sent in one message. */
  batchBytesMax: 256 * 1024,
  /** Bytes of requests queued for a peer that does not read; further ones are refused at once. */
  waitingBytesMax: 8 * 1024 * 1024,
  /** Bytes of replies queued for a caller that does not read; further calls fail because of it. */
  waitingReplyBytesMax: 64 * 1024 * 1024,
  /** Time for which a peer without hot streams gets unary calls before the stream is tried again. */
  unknownMs: 30_000,
} as const;
