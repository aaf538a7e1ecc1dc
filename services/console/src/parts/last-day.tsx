import { Group, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { toPeriods } from "../api/metrics.ts";
import { useMay, useRead } from "../api/use-control-plane.ts";
import { formatCount, formatDuration, formatMoney, formatShare } from "./format.ts";
import { bucketColumns, statusSeries } from "./metric-series.ts";
import { TimeChart } from "./time-chart.tsx";
import { useNow } from "./use-now.ts";

const refetchIntervalMs = 30_000;

interface LastDayProps {
  readonly project: string;
  /** Restricts to one of its endpoints or tokens. */
  readonly of?: { readonly endpoint: string } | { readonly token_id: number };
}

/** Requests of the last day by the hour and in total, with links; nothing for a role without metrics. */
export function LastDay(props: LastDayProps) {
  return useMay("svc_query_metrics") && <Sums {...props} />;
}

function Sums({ project, of }: LastDayProps) {
  const periods = toPeriods(24, useNow());
  const args = { ...periods.now, project, clients_only: true, ...(of !== undefined && { filters: of }) };
  const { data } = useRead("svc_query_metrics", args, { refetchIntervalMs });
  const [all] = data?.series ?? [];
  const search = { project, ...of };
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2}>Last 24 hours</Title>
        <Link to="/requests" search={search} className="console-link">
          View requests
        </Link>
      </Group>
      <TimeChart
        title="Requests"
        kind="bars"
        columns={bucketColumns(periods, search)}
        series={statusSeries(all?.points ?? [], periods)}
        format={formatCount}
      />
      {/* Reserves a line for the sums while they load, so that nothing below jumps. */}
      <Text size="sm" c="dimmed" mih="1.55em">
        {all !== undefined && (
          <>
            {formatCount(all.total.requests)} {all.total.requests === 1 ? "request" : "requests"},{" "}
            {formatShare(all.total.errors / all.total.requests)} errors, p95 {formatDuration(all.total.p95_ms)},{" "}
            {formatMoney(all.total.cost_usd)}
          </>
        )}
      </Text>
    </Stack>
  );
}
