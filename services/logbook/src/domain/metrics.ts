/** Outcome of a request, as metrics count it: `ok`, or what kind of error it was. */
export const outcomes = [
  "ok",
  "guardrail_blocked",
  "budget_exhausted",
  "rate_limited",
  "unauthorized",
  "invalid",
  "client_gone",
  "provider",
  "internal",
  "in_reply",
] as const;
/** The end of a request, as metrics count it. */
export type Outcome = (typeof outcomes)[number];

/** Lengths of a bucket, milliseconds. */
const bucketLengthsMs = {
  "1m": 60_000,
  "5m": 300_000,
  "15m": 900_000,
  "1h": 3_600_000,
  "6h": 21_600_000,
  "1d": 86_400_000,
} as const;
/** One bucket for the whole range. */
const wholeRange = "whole";
/** The width of a column of a chart. */
export type Bucket = keyof typeof bucketLengthsMs | typeof wholeRange;
/** Widths of columns, the narrowest first. */
export const buckets = [...Object.keys(bucketLengthsMs), wholeRange] as readonly Bucket[];

/** Dimensions that metrics can be grouped by. */
export const groupings = ["project", "endpoint", "token", "provider", "model", "user"] as const;
/** A member by which metrics are split. */
export type Grouping = (typeof groupings)[number];

/** Bounds of one answer. */
const metricBounds = {
  bucketsMax: 1_500,
  /** Groups that have a series each, the busiest first; the others share one. */
  groupsMax: 50,
  /** Points of all series together. */
  pointsMax: 15_000,
} as const;

/** Users of a project that counts of one hour tell apart; callers choose the names, and may choose any number of them. */
export const usersPerHourMax = 200;
/** Stands for all further users of the hour. */
export const otherUsers = "(other)";

/** Time for which counts by the minute are kept; after that those by the hour answer. */
export const minutesKeptMs = 2 * 86_400_000;
/** Time for which counts by the hour and by the day are kept. */
export const hoursKeptMs = 400 * 86_400_000;

/** A stretch of time, and which counts have it. */
interface MetricsPiece {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly from: "minutes" | "hours" | "days";
}

/** A span of whole buckets, milliseconds since 1970. */
export interface MetricsRange {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly bucketMs: number;
  /** The span, in the order of time. */
  readonly pieces: readonly MetricsPiece[];
  readonly groupsMax: number;
}

/** A range that cannot be answered, in words for the caller. */
interface MetricsProblem {
  readonly problem: string;
}

/** Widens a range to whole buckets, or to whole hours where it is one bucket, and bounds it. */
export function toMetricsRange(
  asked: { readonly since: Date; readonly until: Date; readonly bucket: Bucket },
  nowMs: number,
): MetricsRange | MetricsProblem {
  if (asked.until <= asked.since) return { problem: "until must be after since" };
  const { bucket } = asked;
  const stepMs = bucketLengthsMs[bucket === wholeRange ? "1h" : bucket];
  const sinceMs = Math.floor(asked.since.getTime() / stepMs) * stepMs;
  const untilMs = Math.ceil(asked.until.getTime() / stepMs) * stepMs;
  const bucketMs = bucket === wholeRange ? untilMs - sinceMs : stepMs;
  const count = (untilMs - sinceMs) / bucketMs;
  const { bucketsMax, groupsMax, pointsMax } = metricBounds;
  if (count > bucketsMax) {
    return {
      problem: `bucket ${bucket} makes ${count} buckets of that range, and ${bucketsMax} are the most; take a longer one`,
    };
  }
  if (stepMs < bucketLengthsMs["1h"] && sinceMs < nowMs - minutesKeptMs) {
    return { problem: `bucket ${bucket} is for the last 2 days; take 1h or longer for what is older` };
  }
  const pieces =
    bucket === wholeRange ? daysAndEdges(sinceMs, untilMs) : [{ sinceMs, untilMs, from: countsOf(stepMs) }];
  return { sinceMs, untilMs, bucketMs, pieces, groupsMax: Math.min(groupsMax, Math.floor(pointsMax / count)) };
}

/** The longest counts that buckets of a length are made of. */
function countsOf(bucketMs: number): MetricsPiece["from"] {
  if (bucketMs < bucketLengthsMs["1h"]) return "minutes";
  return bucketMs < bucketLengthsMs["1d"] ? "hours" : "days";
}

/** Whole days, and the hours before and after them: a month by the hour has 24 times as many counts. */
function daysAndEdges(sinceMs: number, untilMs: number): readonly MetricsPiece[] {
  const dayMs = bucketLengthsMs["1d"];
  const daysSinceMs = Math.ceil(sinceMs / dayMs) * dayMs;
  const daysUntilMs = Math.floor(untilMs / dayMs) * dayMs;
  if (daysUntilMs <= daysSinceMs) return [{ sinceMs, untilMs, from: "hours" }];
  const pieces: readonly MetricsPiece[] = [
    { sinceMs, untilMs: daysSinceMs, from: "hours" },
    { sinceMs: daysSinceMs, untilMs: daysUntilMs, from: "days" },
    { sinceMs: daysUntilMs, untilMs, from: "hours" },
  ];
  return pieces.filter((piece) => piece.sinceMs < piece.untilMs);
}

/** Steps of the scale of latencies to a doubling: a percentile is off by 9 % at most. */
export const latencyStepsPerDoubling = 4;
/** The last step, which has all that takes longer: some four and a half hours. */
export const latencyStepMax = 96;

/** The middle of a step of the scale, milliseconds. */
export function toLatencyMs(step: number): number {
  return step <= 0 ? 1 : Number((2 ** ((step - 0.5) / latencyStepsPerDoubling)).toPrecision(3));
}
