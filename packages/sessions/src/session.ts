import type { ChatMessage } from "@gatehouse/providers";

/** A session belongs to one token and one endpoint, so that nothing leaks to another. */
export interface SessionKey {
  readonly tokenId: number;
  readonly endpointUuid: string;
  /** Chosen by the client. */
  readonly sessionUuid: string;
}

/** Text that stands for a masked value in a session's messages; the label has no brackets. */
export interface SessionPlaceholder {
  readonly label: string;
  readonly value: string;
}

/** A call's turn in a session: until it ends, no other call on the session proceeds. */
export interface SessionTurn {
  readonly key: SessionKey;
  /** Earlier messages, oldest first. */
  readonly history: readonly ChatMessage[];
  /** Placeholders of the session so far, with the texts that they stand for. */
  readonly placeholders: readonly SessionPlaceholder[];
  /**
   * Adds what was said in this turn, all of it or nothing, and ends the turn. `placeholders` are those of the session from
   * now on, where the turn has brought more.
   */
  commit(messages: readonly ChatMessage[], placeholders?: readonly SessionPlaceholder[]): Promise<void>;
  /** Ends the turn and leaves the session as it was; one that was never used leaves no trace. */
  abandon(): Promise<void>;
}

/** Bounds of one conversation, in messages, bytes and milliseconds. */
export const sessionBounds = {
  /** The newest messages that a session keeps. */
  messagesMax: 100,
  /** Bytes of text that a session keeps; what is older than the newest of these is forgotten. */
  bytesMax: 1_048_576,
  /** Bytes of placeholders and their values that a session keeps, the first of them. */
  placeholderBytesMax: 262_144,
  /** A session is forgotten when it was not used for this long. */
  idleMs: 30 * 24 * 60 * 60_000,
  /** A turn whose replica has died ends by itself after this. */
  turnMs: 15_000,
  turnRenewMs: 5_000,
  /** Interval at which a call asks whether a turn on another replica has ended. */
  turnPollMs: 50,
  /** Longest wait of a call for its turn before it is refused. */
  turnWaitMs: 60_000,
  /** Interval at which forgotten sessions are deleted, and the number of them that go at once. */
  sweepMs: 60 * 60_000,
  sweepRowsMax: 1_000,
} as const;
