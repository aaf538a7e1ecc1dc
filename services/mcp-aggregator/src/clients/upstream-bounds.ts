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

/** Replies in progress that are held at a time, counted in replies of the largest size: of one upstream, and of all. */
export const repliesHeldMax = { ofOne: 8, ofAll: 32 };

/** Sessions that are open to all upstreams together. */
export const sessionsOfAllMax = 10_000;
