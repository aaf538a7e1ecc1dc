import type { MetricPeriods } from "../api/metrics.ts";
import type { RequestSearch } from "../api/search.ts";
import type { MetricPoint } from "../api/types.ts";
import type { ChartColumn, ChartSeries } from "./time-chart.tsx";

const dayMs = 86_400_000;
const time = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const dayAndTime = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** Buckets of a period as columns, with links to their requests. */
export function bucketColumns(periods: MetricPeriods, scope: RequestSearch): readonly ChartColumn[] {
  return bucketStarts(periods).map((start) => toColumn(start, periods.bucketMs, scope));
}

/** Daily buckets are days in UTC; shorter ones are shown in the viewer's zone. */
function toColumn(startMs: number, bucketMs: number, scope: RequestSearch): ChartColumn {
  const endMs = startMs + bucketMs;
  const label =
    bucketMs === dayMs ? `${day.format(startMs)} UTC` : `${dayAndTime.format(startMs)} – ${time.format(endMs)}`;
  return { label, search: { ...scope, since: new Date(startMs).toISOString(), until: new Date(endMs).toISOString() } };
}

/** Successful requests with errors stacked on top. */
export function statusSeries(points: readonly MetricPoint[], periods: MetricPeriods): readonly ChartSeries[] {
  const found = inBuckets(points, periods);
  return [
    sums("succeeded", "main", found.map((point) => (point === undefined ? 0 : point.requests - point.errors))), // prettier-ignore
    sums("errors", "bad", found.map((point) => point?.errors ?? 0)), // prettier-ignore
  ];
}

/** The point of each bucket; undefined without requests. */
export function inBuckets(
  points: readonly MetricPoint[],
  periods: MetricPeriods,
): readonly (MetricPoint | undefined)[] {
  const byStart = new Map(points.map((point) => [Date.parse(point.at), point]));
  return bucketStarts(periods).map((start) => byStart.get(start));
}

function sums(name: string, look: ChartSeries["look"], values: readonly number[]): ChartSeries {
  return { name, look, values };
}

function bucketStarts({ sinceMs, untilMs, bucketMs }: MetricPeriods): number[] {
  return Array.from({ length: Math.ceil((untilMs - sinceMs) / bucketMs) }, (_, index) => sinceMs + index * bucketMs);
}
