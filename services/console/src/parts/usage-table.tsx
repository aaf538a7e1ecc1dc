import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { EndpointUsage } from "../api/types.ts";
import { useMay, useRead } from "../api/use-control-plane.ts";
import { type Column, DataTable } from "./data-table.tsx";
import { EmptyState } from "./empty-state.tsx";
import { FirstCall } from "./first-call.tsx";
import { formatCount, formatMoney } from "./format.ts";
import { QueryView } from "./query-view.tsx";

const counts: readonly Column<EndpointUsage>[] = [
  {
    id: "requests",
    header: "Requests",
    isEnd: true,
    sort: (row) => row.requests,
    cell: (row) => formatCount(row.requests),
  },
  {
    id: "prompt",
    header: "Prompt tokens",
    isEnd: true,
    sort: (row) => row.prompt_tokens,
    cell: (row) => formatCount(row.prompt_tokens),
  },
  {
    id: "completion",
    header: "Completion tokens",
    isEnd: true,
    sort: (row) => row.completion_tokens,
    cell: (row) => formatCount(row.completion_tokens),
  },
  { id: "cost", header: "Cost", isEnd: true, sort: (row) => row.cost_usd, cell: (row) => formatMoney(row.cost_usd) },
];

function columnsFor(project: string | undefined): readonly Column<EndpointUsage>[] {
  const cell = (row: EndpointUsage) => <RequestsLink of={row} project={project} />;
  return [{ id: "slug", header: "Endpoint", sort: ({ slug }) => slug, cell }, ...counts];
}

interface RequestsLinkProps {
  readonly of: EndpointUsage;
  readonly project: string | undefined;
}

/** It names the project where one is known: a role for several projects reads the log of one at a time. */
function RequestsLink({ of: { endpoint, slug }, project }: RequestsLinkProps) {
  if (!useMay("svc_query_gateway_log")) return slug;
  return (
    <Link to="/requests" search={{ endpoint, ...(project !== undefined && { project }) }} className="console-link">
      {slug}
    </Link>
  );
}

function NoUsage({ project }: { readonly project: string | undefined }) {
  return (
    <EmptyState title="Nothing used this month" action={project !== undefined && <FirstCall project={project} />}>
      Endpoints appear here with their first call.
    </EmptyState>
  );
}

/** Requests, tokens and cost of this month by endpoint; of all projects where none is named. */
export function UsageTable({ project }: { readonly project?: string }) {
  const query = useRead("svc_get_usage", project === undefined ? {} : { project });
  const columns = useMemo(() => columnsFor(project), [project]);
  return (
    <QueryView query={query}>
      {({ endpoints }) =>
        endpoints.length === 0 ? (
          <NoUsage project={project} />
        ) : (
          <DataTable label="Usage by endpoint" columns={columns} rows={endpoints} rowKey={({ endpoint }) => endpoint} />
        )
      }
    </QueryView>
  );
}
