/** Bounds of choosing between the processes of a service; README.md gives the reason for each value. */
export const peerBounds = {
  resolveIntervalMs: 5_000,
  /** Longest resolution of one name; on failure the known addresses stay. */
  resolveTimeoutMs: 2_000,
  /** Most addresses of one service; further ones are ignored. */
  peersMax: 256,
  probeIntervalMs: 500,
  probeTimeoutMs: 1_000,
  /** Age of an unanswered probe at which a peer may be frozen, where the caller has a short bound. */
  silentMs: 500,
  /** Calls in flight to a possibly frozen peer; further ones go to other peers, or are refused at once. */
  silentInFlightMax: 64,
  /** First wait before an unreachable peer is probed again; doubled with every failure up to the longest, while its outage is young. */
  retryProbeMs: 50,
  retryProbeMsMax: 200,
  /** Longest wait of a call for a reachable peer: the start of a process on a busy machine. */
  waitMs: 5_000,
  /** Calls that may wait for a peer of one service; further ones are refused at once. */
  waitingMax: 10_000,
  /** Waiting calls sent to a returned peer at once, which still has to warm up; doubled after each pause. */
  releasedFirst: 32,
  releaseIntervalMs: 50,
  /** Longest wait of a call while all peers are at their bound because they may be frozen. */
  silentWaitMs: 500,
  /** Consecutive late calls or probes before a peer rests. */
  lateInRowMax: 3,
  /**
   * Consecutive unanswered probes before a peer's waiting calls are ended: 20 to 30 s. For an earlier process at its address,
   * queries on its open connections replace probes. A count rather than a time, so that a caller that was frozen itself blames no
   * peer.
   */
  lateProbesMax: 20,
  /** First rest of a late peer; doubled with every failed trial. */
  restMs: 1_000,
  restMsMax: 8_000,
  /** Time until a returned peer gets its full share of the calls. */
  returnMs: 5_000,
  /** First share of a returned peer. */
  returnShareMin: 0.1,
} as const;
