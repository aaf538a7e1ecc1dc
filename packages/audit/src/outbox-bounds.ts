import { backoffBounds, partStopMsMax } from "@gatehouse/async";

/** Bounds of the relay; docs/adr/0011-audit-outbox.md gives the reason for each value. */
export const outboxBounds = {
  /** Events published at once, before the next batch. */
  batchSizeMax: 200,
  /** Interval at which the outbox is polled without a wake-up. */
  pollIntervalMs: 5_000,
  /** Delay before the first retry while publishing is blocked; doubles each time. */
  backoffMinMs: backoffBounds.minMs,
  backoffMaxMs: backoffBounds.maxMs,
  /** Delay of the next attempt while another replica is publishing. */
  busyDelayMs: 25,
  /** Time for which reports of stored events are collected before they are written. */
  confirmDelayMs: 50,
  /** Published events whose reports this process awaits; the oldest beyond are left to the sweep. */
  awaitedMax: 50_000,
  /** Delay before an unconfirmed event is published again; doubles each time. */
  republishAfterMs: 30_000,
  republishAfterMaxMs: 3_600_000,
  /** Longest delay instead, once no event has been confirmed for the time of the bound above: a consumer is missing. */
  republishUnansweredMaxMs: 86_400_000,
  /** Interval of the search for events to publish again. */
  sweepIntervalMs: 15_000,
  /** Interval at which the backlog is counted, and the largest count. */
  measureIntervalMs: 10_000,
  measuredMax: 100_000,
  /** Age at which confirmed events are deleted, and the most deleted at once. */
  keepConfirmedMs: 7 * 86_400_000,
  cleanIntervalMs: 60_000,
  cleanBatchMax: 2_000,
  /** Longest publishing of a batch, before it is retried. Shorter than the next bound. */
  publishTimeoutMs: 25_000,
  /** Time after which the database ends a transaction whose process has stopped. */
  transactionIdleMaxMs: 30_000,
  /** Longest time for the current batch when the relay stops; the next relay finds its outcome. */
  stopTimeoutMs: partStopMsMax,
  /** Age at which a backlog is reported. */
  lateAfterMs: 10_000,
} as const;

/** Bounds of an outbox and its relay, in milliseconds and rows. */
export type OutboxBounds = { readonly [Name in keyof typeof outboxBounds]: number };
