import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import type { EndpointUsage } from "../api/types.ts";
import { useMay, useRead } from "../api/use-control-plane.ts";
import { nameEndpoint, type Names, useNames } from "../api/use-names.ts";
import { type Column, DataTable } from "./data-table.tsx";
import { EmptyState } from "./empty-state.tsx";
import { EndpointName } from "./endpoint-name.tsx";
import { FirstCall } from "./first-call.tsx";
import { formatCount, formatMoney, shorten } from "./format.ts";
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

function columnsFor(project: string | undefined, names: Names): readonly Column<EndpointUsage>[] {
  const otherwiseOf = ({ endpoint, slug }: EndpointUsage) => slug ?? `${shorten(endpoint)} (deleted)`;
  const nameOf = (row: EndpointUsage) => nameEndpoint(names, row.endpoint, project !== undefined) ?? otherwiseOf(row);
  const cell = (row: EndpointUsage) => (
    <RequestsLink endpoint={row.endpoint} project={project}>
      <EndpointName
        uuid={row.endpoint}
        names={names}
        isOfOneProject={project !== undefined}
        otherwise={otherwiseOf(row)}
      />
    </RequestsLink>
  );
  return [{ id: "slug", header: "Endpoint", sort: nameOf, cell }, ...counts];
}

/** Highest cost first. */
function inOrder(endpoints: readonly EndpointUsage[]): readonly EndpointUsage[] {
  return endpoints.toSorted((left, right) => right.cost_usd - left.cost_usd || right.requests - left.requests);
}

interface RequestsLinkProps {
  readonly endpoint: string;
  readonly children: ReactNode;
  readonly project: string | undefined;
}

/** Names the project, where known: administrators of named projects read the log of one at a time. */
function RequestsLink({ endpoint, children, project }: RequestsLinkProps) {
  if (!useMay("svc_query_gateway_log")) return children;
  return (
    <Link to="/requests" search={{ endpoint, ...(project !== undefined && { project }) }} className="console-link">
      {children}
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

/** Requests, tokens and cost of this month by endpoint; absent project: of all. */
export function UsageTable({ project }: { readonly project?: string }) {
  const query = useRead("svc_get_usage", project === undefined ? {} : { project });
  const named = useMemo(() => (project === undefined ? undefined : [project]), [project]);
  const names = useNames(named);
  const columns = useMemo(() => columnsFor(project, names), [project, names]);
  return (
    <QueryView query={query}>
      {({ endpoints }) =>
        endpoints.length === 0 ? (
          <NoUsage project={project} />
        ) : (
          <DataTable
            label="Usage by endpoint"
            columns={columns}
            rows={inOrder(endpoints)}
            rowKey={({ endpoint }) => endpoint}
          />
        )
      }
    </QueryView>
  );
}
