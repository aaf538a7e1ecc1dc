import type { ArgumentsOf } from "./types.ts";

/** Dimensions by which requests can be grouped. */
export const groupings = ["project", "endpoint", "token", "user", "provider", "model"] as const;
export type Grouping = (typeof groupings)[number];

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** One bucket for a range to the hour, read from counts by the day as far as it has whole days. */
const wholeBucket = "whole";

/** The spans of the overview by their hours, with some 30 to 60 buckets each; of the span before only the sums are asked for. */
const spans = {
  1: { bucket: "1m", bucketMs: minuteMs, stepMs: minuteMs, bucketBefore: "1m" },
  24: { bucket: "1h", bucketMs: hourMs, stepMs: hourMs, bucketBefore: wholeBucket },
  168: { bucket: "6h", bucketMs: 6 * hourMs, stepMs: hourMs, bucketBefore: wholeBucket },
  720: { bucket: "1d", bucketMs: 24 * hourMs, stepMs: hourMs, bucketBefore: wholeBucket },
} as const;

type SpanHours = keyof typeof spans;

/** The span that a number of hours names, else a day. */
export function toSpanHours(hours: number | undefined): SpanHours {
  return hours === 1 || hours === 168 || hours === 720 ? hours : 24;
}

type MetricRange = Pick<ArgumentsOf<"svc_query_metrics">, "since" | "until" | "bucket">;

/** A span and the one before it, of the same length. */
export interface MetricPeriods {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly bucketMs: number;
  /** For `svc_query_metrics`. */
  readonly now: MetricRange;
  readonly before: MetricRange;
}

/**
 * The last whole buckets of a span, the present one as far as it has come, and the same stretch of time one span earlier: to the
 * minute for an hour, else to the hour.
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
/** Buckets of a stretch that was chosen, the finest first. Counts by the minute are kept for two days. */
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

/**
 * A stretch of time between two moments, in buckets as fine as there are, and the stretch of the same length before it; undefined
 * where the moments make none.
 */
export function toZoom(since: string | undefined, until: string | undefined, nowMs: number): MetricPeriods | undefined {
  const [fromMs, toMs] = [Date.parse(since ?? ""), Date.parse(until ?? "")];
  if (!(fromMs < toMs)) return undefined;
  // The stretch before it is read from the same counts.
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

/** Range of the last `hours` as one bucket, for sums alone. */
export function toWhole(hours: Exclude<SpanHours, 1>, nowMs: number): MetricRange {
  return { ...toPeriods(hours, nowMs).now, bucket: wholeBucket };
}

/** A step that begins at `nowMs` is the present one, not the next. */
function endOfStep(nowMs: number, stepMs: number): number {
  return (Math.floor(nowMs / stepMs) + 1) * stepMs;
}

/** Values of the log's filter `status`, by the kind of request. */
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

/** The status, or class of them, under which the gateway log has errors of a kind. */
export function statusOfKind(kind: string): string | undefined {
  return statuses[kind];
}

export interface Change {
  readonly text: string;
  readonly direction: "up" | "down" | "same";
}

/** Relation of a number to the one before; undefined where there was nothing to compare with. */
export function toChange(now: number, before: number | undefined): Change | undefined {
  if (before === undefined || before === 0) return undefined;
  const percent = Math.round(((now - before) / before) * 100);
  if (percent === 0) return { text: "unchanged", direction: "same" };
  return { text: `${percent > 0 ? "+" : "−"}${Math.abs(percent)} %`, direction: percent > 0 ? "up" : "down" };
}
