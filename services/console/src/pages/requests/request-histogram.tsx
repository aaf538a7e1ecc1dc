import { useSearch } from "@tanstack/react-router";
import { toPeriods, toSpanHours } from "../../api/metrics.ts";
import type { RequestSearch } from "../../api/search.ts";
import { useMay, useRead, useSignedIn } from "../../api/use-control-plane.ts";
import { formatCount } from "../../parts/format.ts";
import { bucketColumns, statusSeries } from "../../parts/metric-series.ts";
import { TimeChart } from "../../parts/time-chart.tsx";
import { useNow } from "../../parts/use-now.ts";

const refetchIntervalMs = 30_000;

/**
 * Number of requests over time, around those in the list. Hidden with filters other than endpoint, token, user, provider and
 * model: sums exist only for these, and would count more than the list.
 */
export function RequestHistogram() {
  const {
    project,
    endpoint,
    token_id,
    provider,
    model,
    user,
    control = false,
    ...others
  } = useSearch({ from: "/requests" });
  const { session } = useSignedIn();
  const isMay = useMay("svc_query_metrics");
  const { hours, since, status, error, route, request_id } = others;
  const isCounted = [since, status, error, route, request_id].every((filter) => filter === undefined);
  const shown = project ?? session.projects?.[0];
  const periods = toPeriods(toSpanHours(hours), useNow());
  const filters = withoutUndefined({ endpoint, token_id, provider, model, user });
  const scope = shown === undefined ? {} : { project: shown };
  const args = {
    ...periods.now,
    ...scope,
    clients_only: !control,
    ...(Object.keys(filters).length > 0 && { filters }),
  };
  const { data } = useRead("svc_query_metrics", args, { enabled: isMay && isCounted, refetchIntervalMs });
  if (data === undefined || !isCounted) return null;
  const search: RequestSearch = { ...scope, ...filters };
  const points = data.series[0]?.points ?? [];
  return (
    <TimeChart
      title={`Requests${hours === undefined ? " of the last day" : ""}`}
      kind="bars"
      isLow
      columns={bucketColumns(periods, search)}
      series={statusSeries(points, periods)}
      format={formatCount}
    />
  );
}

function withoutUndefined<Value extends object>(value: Value): Partial<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Partial<Value>;
}
