import { backoffBounds } from "@gatehouse/async";

/** Every bound of the relay. docs/adr/0011-audit-outbox.md says why each has its value. */
export const outboxBounds = {
  /** Events that are published at once. The next batch waits for their answers. */
  batchSizeMax: 200,
  /** Interval at which the outbox is looked at when nothing wakes the relay. */
  pollIntervalMs: 5_000,
  /** While the way is blocked it is tried again after this long, then twice as long, and so on. */
  backoffMinMs: backoffBounds.minMs,
  backoffMaxMs: backoffBounds.maxMs,
  /** Time until the relay looks again where another replica is publishing. */
  busyDelayMs: 25,
  /** Reports of what is stored are gathered for this long before they are written. */
  confirmDelayMs: 50,
  /** Published events whose reports this process waits for; of the oldest beyond, the sweep finds out. */
  awaitedMax: 50_000,
  /** An event that is not confirmed is published again after this long, then after twice as long, and so on. */
  republishAfterMs: 30_000,
  republishAfterMaxMs: 3_600_000,
  /** Interval at which events to be published again are looked for. */
  sweepIntervalMs: 15_000,
  /** Interval at which the backlog is counted, and its largest figure. */
  measureIntervalMs: 10_000,
  measuredMax: 100_000,
  /** Confirmed events are deleted after this long, at most this many at once. */
  keepConfirmedMs: 7 * 86_400_000,
  cleanIntervalMs: 60_000,
  cleanBatchMax: 2_000,
  /** Longest time that a batch may take to be published; then it is tried again. Shorter than what follows. */
  publishTimeoutMs: 25_000,
  /** A transaction whose process has stopped answering is ended by the database after this long. */
  transactionIdleMaxMs: 30_000,
  /** Longest time for the current batch when the relay stops; the next relay finds its outcome. */
  stopTimeoutMs: 5_000,
  /** Backlog age that is reported. */
  lateAfterMs: 10_000,
} as const;

/** Bounds of an outbox and its relay, in milliseconds and rows, as {@link outboxBounds} has them. */
export type OutboxBounds = { readonly [Name in keyof typeof outboxBounds]: number };
