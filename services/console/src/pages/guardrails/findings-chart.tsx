import { SimpleGrid } from "@mantine/core";
import type { Arguments } from "../../api/control-plane.ts";
import { toPeriods } from "../../api/metrics.ts";
import type { FindingCount } from "../../api/types.ts";
import { useMay, useRead } from "../../api/use-control-plane.ts";
import { formatCount, toLabel } from "../../parts/format.ts";
import { bucketColumns } from "../../parts/metric-series.ts";
import { type ChartColumn, type ChartSeries, TimeChart } from "../../parts/time-chart.tsx";
import { useNow } from "../../parts/use-now.ts";

const refetchIntervalMs = 30_000;
/** Retention of findings, hours. */
const keptHours = 720;

const looks: readonly (readonly [action: string, look: ChartSeries["look"]])[] = [
  ["blocked", "bad"],
  ["masked", "second"],
  ["observed", "main"],
];

interface FindingsChartProps {
  readonly project: string;
  /** The project or one of its endpoints. */
  readonly subject: Arguments;
}

/** A chart per check with findings, by day and action. A day links to its requests. */
export function FindingsChart({ project, subject }: FindingsChartProps) {
  const { data } = useRead("svc_count_findings", subject, {
    enabled: useMay("svc_count_findings"),
    refetchIntervalMs,
  });
  const { endpoint } = subject;
  const scope = { project, ...(typeof endpoint === "string" && { endpoint }) };
  const columns = bucketColumns(toPeriods(keptHours, useNow()), scope);
  const drawn = new Set(columns.map(dayOf));
  // Excludes days before the first column, which occur at the turn of a day.
  const counted = (data?.counts ?? []).filter(({ day }) => drawn.has(day));
  const byDetector = Map.groupBy(counted, ({ detector }) => detector);
  if (byDetector.size === 0) return null;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm">
      {[...byDetector].map(([detector, counts]) => (
        <TimeChart
          key={detector}
          title={`${toLabel(detector)}: ${formatCount(counts.reduce((sum, { count }) => sum + count, 0))}`}
          kind="bars"
          isLow
          columns={columns}
          series={seriesOf(counts, columns)}
          format={formatCount}
        />
      ))}
    </SimpleGrid>
  );
}

/** One series per action that occurs. */
function seriesOf(counts: readonly FindingCount[], columns: readonly ChartColumn[]): readonly ChartSeries[] {
  return looks.flatMap(([action, look]) => {
    const byDay = new Map(counts.filter((each) => each.action === action).map(({ day, count }) => [day, count]));
    const values = columns.map((column) => byDay.get(dayOf(column)) ?? 0);
    return byDay.size === 0 ? [] : [{ name: action, look, values }];
  });
}

/** The day of a column, as in a count. */
function dayOf({ search: { since = "" } }: ChartColumn): string {
  return since.slice(0, "YYYY-MM-DD".length);
}
