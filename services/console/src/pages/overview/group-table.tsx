import { Group, NativeSelect, Stack, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { type Grouping, groupings } from "../../api/metrics.ts";
import type { RequestSearch } from "../../api/search.ts";
import type { ArgumentsOf } from "../../api/types.ts";
import type { MetricSeries } from "../../api/types.ts";
import { useRead } from "../../api/use-control-plane.ts";
import { type Names, useNames } from "../../api/use-names.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { EndpointName } from "../../parts/endpoint-name.tsx";
import { shorten, toLabel } from "../../parts/format.ts";
import { QueryView } from "../../parts/query-view.tsx";
import { sumColumns } from "../../parts/sum-columns.ts";
import { TokenName } from "../../parts/token-name.tsx";
import { visibleName } from "../../parts/visible-name.ts";

interface GroupTableProps {
  readonly by: Grouping;
  readonly onGroup: (by: Grouping) => void;
  /** Arguments of `svc_query_metrics`. */
  readonly range: Omit<ArgumentsOf<"svc_query_metrics">, "group_by">;
  /** Log filters for the same requests. */
  readonly search: RequestSearch;
}

const otherUsers = "(other)";
const choices = groupings.map((grouping) => ({ value: grouping, label: toLabel(grouping) }));

/** Sums by project, endpoint, token, user, provider or model, the busiest first; each name links to the log. */
export function GroupTable({ by, onGroup, range, search }: GroupTableProps) {
  const query = useRead("svc_query_metrics", { ...range, group_by: by });
  const { project } = search;
  const none = by !== "endpoint";
  // Memoised, so that the list is the same object in every render.
  const named = useMemo(() => (none ? [] : project === undefined ? undefined : [project]), [none, project]);
  const names = useNames(named);
  const columns = useMemo(() => columnsWith(by, search, names), [by, search, names]);
  return (
    <Stack gap="xs">
      <Group justify="space-between" mih={30}>
        <Title order={2}>Requests by</Title>
        <NativeSelect
          aria-label="Group by"
          data={choices}
          value={by}
          onChange={({ currentTarget: { value } }) => onGroup(value as Grouping)}
        />
      </Group>
      <QueryView query={query}>
        {({ series }) =>
          series.length === 0 ? (
            <EmptyState title="No requests">
              Choose a longer time range, or call an endpoint from the playground of its project.
            </EmptyState>
          ) : (
            <DataTable label={`Requests by ${by}`} columns={columns} rows={series} rowKey={(row) => keyOf(row, by)} />
          )
        }
      </QueryView>
    </Stack>
  );
}

function keyOf({ is_other, group }: MetricSeries, by: Grouping): string {
  return is_other ? "other" : `${by} ${group?.[by] ?? ""}`;
}

function columnsWith(by: Grouping, scope: RequestSearch, names: Names): readonly Column<MetricSeries>[] {
  return [
    { id: "name", header: toLabel(by), cell: (row) => <GroupName row={row} by={by} scope={scope} names={names} /> },
    ...sumColumns<MetricSeries>(({ total }) => total, "number"),
  ];
}

interface GroupNameProps {
  readonly row: MetricSeries;
  readonly by: Grouping;
  readonly scope: RequestSearch;
  readonly names: Names;
}

function GroupName({ row: { is_other, group }, by, scope, names }: GroupNameProps) {
  const value = group?.[by] ?? null;
  // The gateway sums users over a bound in one row.
  if (is_other || value === otherUsers) return "all others";
  if (value === null) return by === "project" ? "no project (callers without a valid token)" : "none";
  const filter = filterOf(by, value);
  return (
    <Link to="/requests" search={{ ...scope, ...filter }} className="console-link">
      <ValueName by={by} value={String(value)} names={names} isOfOneProject={scope.project !== undefined} />
    </Link>
  );
}

interface ValueNameProps {
  readonly by: Grouping;
  readonly value: string;
  readonly names: Names;
  readonly isOfOneProject: boolean;
}

function ValueName({ by, value, names, isOfOneProject }: ValueNameProps) {
  if (by === "endpoint") return <EndpointName uuid={value} {...{ names, isOfOneProject }} />;
  if (by === "token") return <TokenName id={Number(value)} />;
  return by === "project" ? visibleName(names.projects.get(value) ?? shorten(value)) : value;
}

function filterOf(by: Grouping, value: string | number): RequestSearch {
  if (by === "token") return { token_id: Number(value) };
  return { [by]: String(value) };
}
