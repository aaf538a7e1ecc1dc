/** Every bound of the NATS transport; docs/adr/0011-audit-outbox.md says why the streams have theirs. */
export const natsBounds = {
  /** One attempt to connect, over all servers. */
  connectTimeoutMs: 2_000,
  /** Pauses between attempts to connect: the first one, doubled each time up to the longest. */
  reconnectMinMs: 100,
  reconnectMaxMs: 2_000,
  /** Different reasons of one outage that are logged. */
  reasonsLoggedMax: 10,
  /** A connection that answers none of two pings is lost. */
  pingIntervalMs: 5_000,
  pingsUnansweredMax: 2,
  /** Longest wait for the broker's acknowledgement of a message, and for its answer to any question. */
  answerTimeoutMs: 5_000,
  /** Messages published at once. */
  publishInFlightMax: 256,
  /** A delivered message comes again if it is not acknowledged within this time. */
  ackWaitMs: 10_000,
  /** Longest wait of newer messages for those that an earlier connection received: these come again after `ackWaitMs`. */
  olderWaitMs: 15_000,
  /** Time between two questions to the broker meanwhile. */
  olderLookMs: 250,
  /** Batches that a consumer holds at most, stored or waiting. */
  batchesAheadMax: 4,
  /** A consumer that hears nothing of the broker for two of these looks whether it still exists. */
  heartbeatMs: 2_500,
  /** Longest time for the current batch when the transport stops. */
  stopTimeoutMs: 5_000,
} as const;
