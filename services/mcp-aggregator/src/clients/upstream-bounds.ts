/** Bounds of the exchanges with upstreams that are the same for all of them. */
export interface UpstreamBounds {
  /** Longest silence of a call; progress ends it. */
  readonly idleTimeoutMs: number;
  /** Decoded bytes of one reply. */
  readonly replyBytesMax: number;
  /** A handshake, and the end of a session. */
  readonly handshakeTimeoutMs: number;
  readonly sessionIdleMs: number;
  readonly sessionsMax: number;
}
