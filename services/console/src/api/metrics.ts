import type { ArgumentsOf } from "./types.ts";

/** Values of `group_by` in `svc_query_metrics` that the overview offers, and of its search parameter. */
export const groupings = ["project", "endpoint", "token", "user", "provider", "model"] as const;
export type Grouping = (typeof groupings)[number];

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** One bucket for a range to the hour, composed of daily counts where the range has whole days. */
const wholeBucket = "whole";

/** Spans of the overview by their hours, with some 30 to 60 buckets each; of the previous span only the sums are read. */
const spans = {
  1: { bucket: "1m", bucketMs: minuteMs, stepMs: minuteMs, bucketBefore: "1m" },
  24: { bucket: "1h", bucketMs: hourMs, stepMs: hourMs, bucketBefore: wholeBucket },
  168: { bucket: "6h", bucketMs: 6 * hourMs, stepMs: hourMs, bucketBefore: wholeBucket },
  720: { bucket: "1d", bucketMs: 24 * hourMs, stepMs: hourMs, bucketBefore: wholeBucket },
} as const;

type SpanHours = keyof typeof spans;

/** The span of a number of hours; a day by default. */
export function toSpanHours(hours: number | undefined): SpanHours {
  return hours === 1 || hours === 168 || hours === 720 ? hours : 24;
}

/** Range and bucket of `svc_query_metrics`. */
export type MetricRange = Pick<ArgumentsOf<"svc_query_metrics">, "since" | "until" | "bucket">;

/** A span and the previous one of the same length. */
export interface MetricPeriods {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly bucketMs: number;
  /** For `svc_query_metrics`. */
  readonly now: MetricRange;
  readonly before: MetricRange;
}

/**
 * The last whole buckets of a span and the present, incomplete one, and the same period one span earlier: to the minute for an
 * hour, else to the hour.
 */
export function toPeriods(hours: SpanHours, nowMs: number): MetricPeriods {
  const { bucket, bucketMs, stepMs, bucketBefore } = spans[hours];
  const untilMs = endOfStep(nowMs, stepMs);
  const spanMs = hours * hourMs;
  const sinceMs = endOfStep(nowMs, bucketMs) - spanMs;
  const range = (offsetMs: number) => ({
    since: new Date(sinceMs - offsetMs).toISOString(),
    until: new Date(untilMs - offsetMs).toISOString(),
  });
  return {
    sinceMs,
    untilMs,
    bucketMs,
    now: { ...range(0), bucket },
    before: { ...range(spanMs), bucket: bucketBefore },
  };
}

const dayMs = 24 * hourMs;
/** Bucket sizes for a chosen period, finest first. Counts by the minute are kept for two days. */
const zoomBuckets = [
  { bucket: "1m", bucketMs: minuteMs },
  { bucket: "5m", bucketMs: 5 * minuteMs },
  { bucket: "15m", bucketMs: 15 * minuteMs },
  { bucket: "1h", bucketMs: hourMs },
  { bucket: "6h", bucketMs: 6 * hourMs },
  { bucket: "1d", bucketMs: dayMs },
] as const;
const zoomColumnsMax = 60;
const minutesKeptMs = 2 * dayMs;

/** A chosen period in the finest available buckets, and the previous one of the same length; undefined for invalid times. */
export function toZoom(since: string | undefined, until: string | undefined, nowMs: number): MetricPeriods | undefined {
  const [fromMs, toMs] = [Date.parse(since ?? ""), Date.parse(until ?? "")];
  if (!(fromMs < toMs)) return undefined;
  // Includes the previous period, which must be read from the same counts.
  const isFine = nowMs - (2 * fromMs - toMs) < minutesKeptMs;
  const { bucket, bucketMs } = zoomBuckets.find(
    (each) => (isFine || each.bucketMs >= hourMs) && (toMs - fromMs) / each.bucketMs <= zoomColumnsMax,
  ) ?? { bucket: "1d" as const, bucketMs: dayMs };
  const sinceMs = Math.floor(fromMs / bucketMs) * bucketMs;
  const untilMs = Math.ceil(toMs / bucketMs) * bucketMs;
  const range = (startMs: number, endMs: number) => ({
    since: new Date(startMs).toISOString(),
    until: new Date(endMs).toISOString(),
  });
  const bucketBefore = bucketMs < hourMs ? bucket : wholeBucket;
  return {
    sinceMs,
    untilMs,
    bucketMs,
    now: { ...range(sinceMs, untilMs), bucket },
    before: { ...range(2 * sinceMs - untilMs, sinceMs), bucket: bucketBefore },
  };
}

/** The last `hours` as one bucket, for sums alone. */
export function toWhole(hours: Exclude<SpanHours, 1>, nowMs: number): MetricRange {
  return { ...toPeriods(hours, nowMs).now, bucket: wholeBucket };
}

/** A step that starts at `nowMs` is the present one. */
function endOfStep(nowMs: number, stepMs: number): number {
  return (Math.floor(nowMs / stepMs) + 1) * stepMs;
}

/** Values of the log's filter `status` by kind of error. */
const statuses: Readonly<Record<string, string>> = {
  guardrail_blocked: "422",
  budget_exhausted: "422",
  rate_limited: "429",
  unauthorized: "4xx",
  invalid: "4xx",
  client_gone: "499",
  provider: "5xx",
  internal: "5xx",
  in_reply: "2xx",
};

/** The status, or class of statuses, of a kind of error in the gateway log. */
export function statusOfKind(kind: string): string | undefined {
  return statuses[kind];
}

export interface Change {
  readonly text: string;
  readonly direction: "up" | "down" | "same";
}

/** Change of a number from the previous one; undefined without a previous one. */
export function toChange(now: number, before: number | undefined): Change | undefined {
  if (before === undefined || before === 0) return undefined;
  const percent = Math.round(((now - before) / before) * 100);
  if (percent === 0) return { text: "unchanged", direction: "same" };
  return { text: `${percent > 0 ? "+" : "−"}${Math.abs(percent)} %`, direction: percent > 0 ? "up" : "down" };
}
