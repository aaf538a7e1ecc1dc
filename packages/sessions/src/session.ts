import type { ChatMessage } from "@gatehouse/providers";

/** Identity of a session. It belongs to one token and one endpoint, so that nothing leaks to others. */
export interface SessionKey {
  readonly tokenId: number;
  readonly endpointUuid: string;
  /** Chosen by the client. */
  readonly sessionUuid: string;
}

/** Replacement of a masked value in a session's messages; the label has no brackets. */
export interface SessionPlaceholder {
  readonly label: string;
  readonly value: string;
}

/** A call's turn in a session: until it ends, no other call on the session proceeds. */
export interface SessionTurn {
  readonly key: SessionKey;
  /** Earlier messages, oldest first. */
  readonly history: readonly ChatMessage[];
  /** Placeholders of the session so far, with their values. */
  readonly placeholders: readonly SessionPlaceholder[];
  /**
   * Adds the turn's messages, all or none, and ends the turn. `placeholders` are those of the session from now on, where the turn
   * has added some.
   */
  commit(messages: readonly ChatMessage[], placeholders?: readonly SessionPlaceholder[]): Promise<void>;
  /** Ends the turn and leaves the session unchanged; an unused one is deleted. */
  abandon(): Promise<void>;
}

/** Bounds of one conversation, in messages, bytes and milliseconds. */
export const sessionBounds = {
  /** Newest messages that a session keeps. */
  messagesMax: 100,
  /** Bytes of text that a session keeps; older messages are dropped. */
  bytesMax: 1_048_576,
  /** Bytes of placeholders and their values that a session keeps; later ones are dropped. */
  placeholderBytesMax: 262_144,
  /** Time without use after which a session expires. */
  idleMs: 30 * 24 * 60 * 60_000,
  /** Time after which the turn of a dead replica expires. */
  turnMs: 15_000,
  turnRenewMs: 5_000,
  /** Interval at which a call polls for the end of a turn on another replica. */
  turnPollMs: 50,
  turnWaitMs: 60_000,
  /** Interval of the deletion of expired sessions, and their number in one statement. */
  sweepMs: 60 * 60_000,
  sweepRowsMax: 1_000,
} as const;
