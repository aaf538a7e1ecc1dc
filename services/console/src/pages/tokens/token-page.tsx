import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { Link, useParams } from "@tanstack/react-router";
import { useLimitUse } from "../../api/limit-use.ts";
import { toPeriods } from "../../api/metrics.ts";
import { useTokens } from "../../api/reads.ts";
import type { Token } from "../../api/types.ts";
import { useMay, useRead } from "../../api/use-control-plane.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Facts } from "../../parts/facts.tsx";
import { formatCount, formatDuration, formatMoney, formatShare } from "../../parts/format.ts";
import { HistoryButton } from "../../parts/history-button.tsx";
import { bucketColumns, statusSeries } from "../../parts/metric-series.ts";
import { QueryView } from "../../parts/query-view.tsx";
import { ActiveStatus } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { TimeChart } from "../../parts/time-chart.tsx";
import { useNow } from "../../parts/use-now.ts";
import { TokenLimits } from "./token-limits.tsx";

/** One token: what it may do, what it does, and who changed it. */
export function TokenPage() {
  const { project, token: id } = useParams({ from: "/projects/$project/tokens/$token" });
  return (
    <Stack mt="md">
      <QueryView query={useTokens(project)}>
        {({ tokens }) => {
          const token = tokens.find((each) => String(each.id) === id);
          if (token !== undefined) return <TokenView token={token} project={project} />;
          return (
            <EmptyState title="No such token">
              It was deleted, or is of another project; those that are left are under Tokens.
            </EmptyState>
          );
        }}
      </QueryView>
    </Stack>
  );
}

interface TokenViewProps {
  readonly token: Token;
  readonly project: string;
}

function TokenView({ token, project }: TokenViewProps) {
  const { id, name, is_active, environment, created_at, last_used_at, expires_at } = token;
  const use = useLimitUse(project, useNow(), true);
  return (
    <>
      <Paper className="console-panel" p="md">
        <Stack gap="sm">
          <Group justify="space-between">
            <Title order={2}>{name}</Title>
            <HistoryButton name={name} kind="token" project={project} identity={["token_id", id]} />
          </Group>
          <Facts
            facts={[
              ["State", <ActiveStatus key="state" isActive={is_active} />],
              ["Scopes", listText(token.scopes, "none")],
              ["Endpoints", listText(token.endpoints, "all")],
              ["Tools", listText(token.tools, "all")],
              ["Environment", environment],
              ["Limits, used now", <TokenLimits key="limits" token={token} use={use} />],
              ["Created", <Time key="created" at={created_at} />],
              ["Last used", <Time key="used" at={last_used_at} />],
              ["Expires", <Time key="expires" at={expires_at} />],
            ]}
          />
        </Stack>
      </Paper>
      <TokenUse tokenId={id} project={project} />
    </>
  );
}

const refetchIntervalMs = 30_000;

function TokenUse({ tokenId, project }: { readonly tokenId: number; readonly project: string }) {
  const periods = toPeriods(24, useNow());
  const query = useRead(
    "svc_query_metrics",
    { ...periods.now, project, filters: { token_id: tokenId } },
    { enabled: useMay("svc_query_metrics"), refetchIntervalMs },
  );
  const [all] = query.data?.series ?? [];
  const search = { project, token_id: tokenId };
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2}>The last day</Title>
        <Link to="/requests" search={search} className="console-link">
          Its requests
        </Link>
      </Group>
      <TimeChart
        title="Requests"
        kind="bars"
        columns={bucketColumns(periods, search)}
        series={statusSeries(all?.points ?? [], periods)}
        format={formatCount}
      />
      {all !== undefined && (
        <Text size="sm" c="dimmed">
          {formatCount(all.total.requests)} requests, {formatShare(all.total.errors / all.total.requests)} errors, p95{" "}
          {formatDuration(all.total.p95_ms)}, {formatMoney(all.total.cost_usd)}
        </Text>
      )}
    </Stack>
  );
}

function listText(names: readonly string[] | null | undefined, none: string): string {
  return names === null || names === undefined || names.length === 0 ? none : names.join(", ");
}
