/** Every bound of the NATS transport; docs/adr/0011-audit-outbox.md says why the streams have theirs. */
export const natsBounds = {
  /** One attempt to connect, over all servers. */
  connectTimeoutMs: 2_000,
  /** Between attempts to connect: this long, then twice as long, and so on. */
  reconnectMinMs: 100,
  reconnectMaxMs: 2_000,
  /** Different reasons of one outage that are logged. */
  reasonsLoggedMax: 10,
  /** A connection that answers none of two pings is lost. */
  pingIntervalMs: 5_000,
  pingsUnansweredMax: 2,
  /** From a message sent to the broker's word that it has it, and for every other question to the broker. */
  answerTimeoutMs: 5_000,
  /** Messages published at once. */
  publishInFlightMax: 256,
  /** A delivered message comes again if it is not acknowledged within this time. */
  ackWaitMs: 10_000,
  /** Newer messages wait so long for those that a connection before was handed: they come again after `ackWaitMs`. */
  olderWaitMs: 15_000,
  /** Time between two questions to the broker meanwhile. */
  olderLookMs: 250,
  /** A batch that cannot be stored is tried again after this long, then twice as long, and so on. */
  storeRetryMinMs: 100,
  storeRetryMaxMs: 5_000,
  /** Batches that a consumer holds at most, stored or waiting. */
  batchesAheadMax: 4,
  /** A consumer that hears nothing of the broker for two of these looks whether it still exists. */
  heartbeatMs: 2_500,
  /** Longest time that the batch at hand may take when the transport stops. */
  stopTimeoutMs: 5_000,
} as const;
