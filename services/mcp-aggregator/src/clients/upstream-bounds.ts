/** Bounds that all upstreams share. */
export interface UpstreamBounds {
  /** Longest silence of a call; progress notifications reset it. */
  readonly idleTimeoutMs: number;
  /** Decoded bytes of one reply. */
  readonly replyBytesMax: number;
  /** Bound of a handshake, and of the end of a session. */
  readonly handshakeTimeoutMs: number;
  readonly sessionIdleMs: number;
  readonly sessionsMax: number;
}

/** Bound of the memory of replies in progress, in replies of the largest size: of one upstream, and of all. */
export const repliesHeldMax = { ofOne: 8, ofAll: 32 };

/** Open sessions of all upstreams. */
export const sessionsOfAllMax = 10_000;
