import { type Database, reading } from "@gatehouse/database";
import { type Grouping, type MetricsRange, type Outcome, outcomes } from "../domain/metrics.ts";
import { controlUuid, noUuid, summedColumns } from "./metric-rollups.ts";

interface MetricsQuery {
  readonly range: MetricsRange;
  readonly groupBy: Grouping | undefined;
  readonly filters: Readonly<Partial<Record<Grouping, string | number>>>;
  /** Whether calls of the Control Plane are left out. */
  readonly isClientsOnly: boolean;
}

/** The sums of one bucket of one group, or of the whole range where `at` is null. Postgres' bigint and numeric arrive as text. */
export interface MetricsRow {
  readonly at: Date | null;
  /** Value of the group as text, including the stand-in for "none"; null for all groups beyond the named series. */
  readonly key: string | null;
  readonly requests: string;
  /** In the order of the outcomes. */
  readonly by_outcome: readonly string[];
  readonly prompt_tokens: string;
  readonly cached_tokens: string;
  readonly completion_tokens: string;
  readonly cost_micros: string;
  /** Steps of the scale of latencies. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

const columns: Readonly<Record<Grouping, { readonly name: string; readonly type: string }>> = {
  project: { name: "project_uuid", type: "uuid" },
  endpoint: { name: "endpoint_uuid", type: "uuid" },
  token: { name: "token_id", type: "int" },
  provider: { name: "provider", type: "text" },
  model: { name: "model", type: "text" },
  user: { name: "user_name", type: "text" },
};

const tables = { minutes: "metric_minutes", hours: "metric_hours", days: "metric_days" } as const;

const countOf = (outcome: Outcome) => `COALESCE(sum(requests) FILTER (WHERE outcome = '${outcome}'), 0)`;
const percentile = (share: number) => `min(latency) FILTER (WHERE rank >= ${share} * whole)::int`;

/** The busiest groups, numbered from 1; all others are group 0. */
const topGroups = (source: string, column: string, max: number) => `
    top AS MATERIALIZED (
      SELECT ${column} AS key, row_number() OVER (ORDER BY sum(requests) DESC, ${column}) AS place
      FROM ${source} GROUP BY ${column} ORDER BY place LIMIT ${max}
    ),`;

/** The Control Plane's calls have no endpoint, like others of none. */
function readGroup(column: string): string {
  if (column !== columns.endpoint.name) return column;
  return `CASE ${column} WHEN '${controlUuid}' THEN '${noUuid}' ELSE ${column} END AS ${column}`;
}

/**
 * The busiest groups first, each with its total before its buckets. Groups, buckets and so rows are bounded by the range. Grouping
 * sets make buckets and totals in one pass, buckets begin where the range does, and windows over the scale of latencies make percentiles of merged histograms.
 */
export async function readMetrics({ pool }: Database, query: MetricsQuery): Promise<readonly MetricsRow[]> {
  const { range, groupBy, filters, isClientsOnly } = query;
  const values: unknown[] = [new Date(range.sinceMs), `${range.bucketMs} milliseconds`];
  const conditions = Object.entries(filters).map(([grouping, value]) => {
    const { name, type } = columns[grouping as Grouping];
    return `${name} = $${values.push(value)}::${type}`;
  });
  if (isClientsOnly) conditions.push(`endpoint_uuid <> '${controlUuid}'`);
  const column = groupBy === undefined ? undefined : columns[groupBy].name;
  const read = [
    "at",
    "outcome",
    "latency",
    ...summedColumns,
    ...(column === undefined ? [] : [readGroup(column)]),
  ].join(", ");
  const pieces = range.pieces.map(({ from, sinceMs, untilMs }) => {
    const bounds = [`at >= $${values.push(new Date(sinceMs))}`, `at < $${values.push(new Date(untilMs))}`];
    return `SELECT ${read} FROM ${tables[from]} WHERE ${[...bounds, ...conditions].join(" AND ")}`;
  });
  const source = `(${pieces.join(" UNION ALL ")}) AS counts`;
  const text = `
    WITH ${column === undefined ? "" : topGroups(source, column, range.groupsMax)}
    counted AS MATERIALIZED (
      SELECT date_bin($2::interval, at, $1) AS bucket, ${column === undefined ? "1" : "COALESCE(top.place, 0)"} AS place, outcome, latency,
        ${summedColumns.map((sum) => `sum(${sum})::bigint AS ${sum}`).join(", ")}
      FROM ${source} ${column === undefined ? "" : `LEFT JOIN top ON top.key = ${column}`}
      GROUP BY 1, 2, 3, 4
    ),
    summed AS (
      SELECT COALESCE(bucket, '-infinity') AS bucket, place, ${outcomes.map((outcome) => `${countOf(outcome)} AS ${outcome}`).join(", ")},
        ${summedColumns.map((sum) => `sum(${sum}) AS ${sum}`).join(", ")}
      FROM counted GROUP BY GROUPING SETS ((bucket, place), (place))
    ),
    histogram AS (
      SELECT COALESCE(bucket, '-infinity') AS bucket, place, latency, sum(requests)::bigint AS requests
      FROM counted GROUP BY GROUPING SETS ((bucket, place, latency), (place, latency))
    ),
    ranked AS (
      SELECT bucket, place, latency, sum(requests) OVER (steps ROWS UNBOUNDED PRECEDING) AS rank, sum(requests) OVER (PARTITION BY bucket, place) AS whole
      FROM histogram WINDOW steps AS (PARTITION BY bucket, place ORDER BY latency)
    ),
    percentiles AS (
      SELECT bucket, place, ${percentile(0.5)} AS p50, ${percentile(0.95)} AS p95, ${percentile(0.99)} AS p99 FROM ranked GROUP BY bucket, place
    )
    SELECT NULLIF(bucket, '-infinity') AS at, ${column === undefined ? "''" : "top.key::text"} AS key, requests,
      ARRAY[${outcomes.map((outcome) => `${outcome}::text`).join(", ")}] AS by_outcome, prompt_tokens, cached_tokens,
      completion_tokens, cost_micros, p50, p95, p99
    FROM summed JOIN percentiles USING (bucket, place) ${column === undefined ? "" : "LEFT JOIN top USING (place)"}
    ORDER BY bucket, place = 0, requests DESC, place`;
  const { rows } = await reading(async () => await pool.query<MetricsRow>(text, values));
  return rows;
}
