import { partStopMsMax } from "@gatehouse/async";

/** Bounds of the NATS transport; docs/adr/0011-audit-outbox.md gives the reasons for those of the streams. */
export const natsBounds = {
  /** One attempt to connect, over all servers. */
  connectTimeoutMs: 2_000,
  /** Pauses between attempts to connect: the first one, and the longest; doubled each time. */
  reconnectMinMs: 100,
  reconnectMaxMs: 2_000,
  /** Distinct reasons of one outage that are logged. */
  reasonsLoggedMax: 10,
  /** Interval of pings; a connection that answers none of two is lost. */
  pingIntervalMs: 5_000,
  pingsUnansweredMax: 2,
  /** Longest wait for any answer of the broker, including the acknowledgement of a message. */
  answerTimeoutMs: 5_000,
  publishInFlightMax: 256,
  /** Time after which a delivered, unacknowledged message is redelivered. */
  ackWaitMs: 10_000,
  /** Longest wait of newer messages for those delivered to an earlier connection, which are redelivered after `ackWaitMs`. */
  olderWaitMs: 15_000,
  /** Interval of queries to the broker during this wait. */
  olderLookMs: 250,
  /** Most batches in a consumer, being stored or waiting. */
  batchesAheadMax: 4,
  /** Interval of heartbeats; a consumer that misses two checks whether it still exists. */
  heartbeatMs: 2_500,
  /** Longest time for the current batch when the transport stops. */
  stopTimeoutMs: partStopMsMax,
} as const;
