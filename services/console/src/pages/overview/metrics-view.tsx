import { SimpleGrid, Stack } from "@mantine/core";
import { useMemo } from "react";
import { type Grouping, type MetricPeriods } from "../../api/metrics.ts";
import type { RequestSearch } from "../../api/search.ts";
import type { MetricPoint } from "../../api/types.ts";
import { useRead } from "../../api/use-control-plane.ts";
import { formatCount, formatDuration, formatMoney } from "../../parts/format.ts";
import { bucketColumns, inBuckets, statusSeries } from "../../parts/metric-series.ts";
import { QueryView } from "../../parts/query-view.tsx";
import { type ChartSeries, TimeChart, type ZoomHandler } from "../../parts/time-chart.tsx";
import { ErrorKinds } from "./error-kinds.tsx";
import { GroupTable } from "./group-table.tsx";
import { MetricTiles } from "./metric-tiles.tsx";

const refetchIntervalMs = 30_000;

interface MetricsViewProps {
  readonly periods: MetricPeriods;
  /** Log filters for the same time. */
  readonly time: Pick<RequestSearch, "hours" | "since" | "until">;
  /** Absent: all. */
  readonly project: string | undefined;
  readonly by: Grouping;
  readonly onGroup: (by: Grouping) => void;
  readonly onZoom: ZoomHandler;
}

/** Placeholder lines: the view is longer than a screen. */
const viewLines = 30;

/** Sums of a span compared with the previous one, by time, by kind of error and by group. */
export function MetricsView({ periods, time, project, by, onGroup, onZoom }: MetricsViewProps) {
  const scope = project === undefined ? {} : { project };
  // Excludes the console's own calls, which would outnumber others on a quiet gateway.
  const counted = { ...scope, clients_only: true };
  const query = useRead("svc_query_metrics", { ...periods.now, ...counted }, { refetchIntervalMs });
  const before = useRead("svc_query_metrics", { ...periods.before, ...counted });
  const { hours, since, until } = time;
  // Memoised, so that the tables' columns are created once.
  const search = useMemo(() => withoutUndefined({ project, hours, since, until }), [project, hours, since, until]);
  return (
    <QueryView query={query} lines={viewLines}>
      {({ series: [all] }) => (
        <Stack>
          <MetricTiles total={all?.total} before={before.data && before.data.series[0]?.total} />
          <Charts points={all?.points ?? []} {...{ periods, scope, onZoom }} />
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
            <ErrorKinds kinds={all?.total.errors_by_kind ?? {}} search={search} />
            <GroupTable by={by} onGroup={onGroup} range={{ ...periods.now, ...counted }} search={search} />
          </SimpleGrid>
        </Stack>
      )}
    </QueryView>
  );
}

function withoutUndefined(search: Readonly<Record<string, string | number | undefined>>): RequestSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

interface ChartsProps {
  readonly points: readonly MetricPoint[];
  readonly periods: MetricPeriods;
  readonly scope: RequestSearch;
  readonly onZoom: ZoomHandler;
}

function Charts({ points, periods, scope, onZoom }: ChartsProps) {
  const found = inBuckets(points, periods);
  const columns = bucketColumns(periods, scope);
  const sums = (name: string, look: ChartSeries["look"], value: (point: MetricPoint) => number): ChartSeries => ({
    name,
    look,
    values: found.map((point) => (point === undefined ? 0 : value(point))),
  });
  const line = (name: string, look: ChartSeries["look"], value: (point: MetricPoint) => number): ChartSeries => ({
    name,
    look,
    values: found.map((point) => (point === undefined ? null : value(point))),
  });
  const latencies = [
    line("p50", "main", ({ p50_ms }) => p50_ms),
    line("p95", "second", ({ p95_ms }) => p95_ms),
    line("p99", "third", ({ p99_ms }) => p99_ms),
  ];
  const tokens = [
    sums("prompt", "main", ({ prompt_tokens }) => prompt_tokens),
    sums("completion", "second", ({ completion_tokens }) => completion_tokens),
  ];
  const cost = [sums("US$", "main", ({ cost_usd }) => cost_usd)];
  const requests = statusSeries(points, periods);
  const shared = { columns, onZoom };
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <TimeChart title="Requests" kind="bars" {...shared} series={requests} format={formatCount} />
      <TimeChart title="Latency" kind="lines" {...shared} series={latencies} format={formatDuration} />
      <TimeChart title="Tokens" kind="bars" {...shared} series={tokens} format={formatCount} />
      <TimeChart title="Cost" kind="bars" {...shared} series={cost} format={formatMoney} />
    </SimpleGrid>
  );
}
