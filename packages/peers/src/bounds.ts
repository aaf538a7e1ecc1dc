/** Every bound of choosing between the processes of a service; README.md says why each has its value. */
export const peerBounds = {
  /** Interval at which names are resolved. */
  resolveIntervalMs: 5_000,
  /** Longest resolution of one name; the addresses known before stay. */
  resolveTimeoutMs: 2_000,
  /** Addresses of one service at most; further ones are left out. */
  peersMax: 256,
  /** Interval at which a peer that serves is asked for its state. */
  probeIntervalMs: 500,
  /** Longest wait for that answer. */
  probeTimeoutMs: 1_000,
  /** A peer that has left a probe without an answer for this long may be frozen, where the caller asks for a short bound. */
  silentMs: 500,
  /** Calls that such a peer may have in flight; further ones go elsewhere, or are refused at once. */
  silentInFlightMax: 64,
  /** Wait before a peer that cannot be reached is tried again, doubled with every failure up to the most while its outage is young. */
  retryProbeMs: 50,
  retryProbeMsMax: 200,
  /** Longest wait of a call for a peer that can be reached: the start of a process on a machine that is busy. */
  waitMs: 5_000,
  /** Calls that may wait for a peer of one service; further ones are refused at once. */
  waitingMax: 10_000,
  /** Waiting calls that go to a peer at once when it is back, which has everything to load yet; twice as many after each pause. */
  releasedFirst: 32,
  releaseIntervalMs: 50,
  /** Longest wait of a call while all peers are full because they may be frozen. */
  silentWaitMs: 500,
  /** Calls or probes in a row that a peer may answer too late before it rests. */
  lateInRowMax: 3,
  /**
   * Probes in a row that a peer may leave unanswered, before the calls that wait for it are ended: 20 to 30 s. For an earlier process of
   * its address, questions on the connections that it has open take the place of probes. Counted and not timed: a caller that was frozen
   * itself has left none unanswered meanwhile.
   */
  lateProbesMax: 20,
  /** First rest of a peer that answers too late, doubled with every trial that fails. */
  restMs: 1_000,
  restMsMax: 8_000,
  /** A peer that has returned gets its full share of the calls after this long. */
  returnMs: 5_000,
  /** The part of its share that it begins with. */
  returnShareMin: 0.1,
} as const;
