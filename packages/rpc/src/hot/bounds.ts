import { messageBytesMax } from "../binding.ts";

/** Every bound of a hot stream. */
export const hotStreamBounds = {
  /** Calls on one stream whose replies are outstanding; further ones are refused at once. */
  inFlightMax: 10_000,
  /** Largest request that rides the stream; a larger one would hold up those behind it, and goes as a unary call. */
  requestBytesMax: 64 * 1024,
  /** Largest reply. The rest of a gRPC message is for its frame. */
  replyBytesMax: messageBytesMax - 1_024,
  /** Size at which one message of the stream is full. A single larger frame fills one alone. */
  batchBytesMax: 256 * 1024,
  /** Requests that wait for a peer which takes nothing; further ones are refused at once. */
  waitingBytesMax: 8 * 1024 * 1024,
  /** Replies that wait for a caller which takes nothing; calls beyond that are answered that their replies are too many. */
  waitingReplyBytesMax: 64 * 1024 * 1024,
  /** Time for which a peer that does not know the stream gets unary calls, before the stream is tried again. */
  unknownMs: 30_000,
} as const;
