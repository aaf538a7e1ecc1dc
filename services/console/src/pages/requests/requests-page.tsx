import { Stack } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import type { RequestEntry } from "../../api/types.ts";
import { useLogEntry } from "../../api/use-log-entry.ts";
import { useLog } from "../../api/use-log.ts";
import { type Names, useNames } from "../../api/use-names.ts";
import { costInColumn, presumedNote } from "../../parts/call-sums.ts";
import type { Column } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { EndpointName } from "../../parts/endpoint-name.tsx";
import { ExportMenu } from "../../parts/export-menu.tsx";
import { useSince } from "../../parts/filter-bar.tsx";
import { FirstCall } from "../../parts/first-call.tsx";
import { formatCount, formatDuration, shorten } from "../../parts/format.ts";
import { LogView, momentColumn, type OpenEntry } from "../../parts/log-view.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { HttpStatus, Status } from "../../parts/status.tsx";
import { visibleName } from "../../parts/visible-name.ts";
import { RequestDrawer } from "./request-drawer.tsx";
import { RequestFilters } from "./request-filters.tsx";
import { RequestHistogram } from "./request-histogram.tsx";

const from = "/requests";
const operation = "svc_query_gateway_log";

/** The gateway log. */
export function RequestsPage() {
  const { entry, at, hours, live = true, control = false, ...filters } = useSearch({ from });
  const navigate = useNavigate({ from });
  const start = useSince(hours);
  // A request searched by its id is shown regardless of its caller.
  const isClientsOnly = !control && filters.request_id === undefined;
  const args = { ...(start !== undefined && { since: start }), ...filters, clients_only: isClientsOnly };
  // A closed range receives no more entries.
  const isLive = live && filters.until === undefined;
  const log = useLog(operation, args, isLive);
  const shown = useLogEntry(operation, { entry, at, project: filters.project }, log.entries);
  const names = useNamesIn(log.entries);
  const isOfOne = filters.project !== undefined;
  const columns = useMemo(
    () => columnsWith((opened) => void navigate({ search: (before) => ({ ...before, ...opened }) }), names, isOfOne),
    [navigate, names, isOfOne],
  );
  return (
    <Stack>
      <PageHeader
        title="Requests"
        description="Every call with its outcome. Prompts and answers are not stored."
        actions={<ExportMenu name="requests" operation={operation} args={args} />}
      />
      <RequestFilters />
      <RequestHistogram />
      <LogView
        log={log}
        label="Requests"
        columns={columns}
        shown={shown}
        empty={<NoRequests project={filters.project} isLive={isLive} />}
      >
        {(opened) => (
          <RequestDrawer
            entry={opened}
            onClose={() => void navigate({ search: ({ entry: _closed, at: _moment, ...before }) => before })}
          />
        )}
      </LogView>
    </Stack>
  );
}

interface NoRequestsProps {
  readonly project: string | undefined;
  readonly isLive: boolean;
}

function NoRequests({ project, isLive }: NoRequestsProps) {
  return (
    <EmptyState title="No requests" action={project !== undefined && <FirstCall project={project} />}>
      No requests match these filters. {isLive && "Calls appear here within seconds. "}Remove a filter, or make a first
      call.
    </EmptyState>
  );
}

/** Names of the entries' projects and endpoints. */
function useNamesIn(entries: readonly RequestEntry[] = []): Names {
  const listed = [...new Set(entries.flatMap(({ project }) => project ?? []))].toSorted().join(" ");
  const projects = useMemo(() => (listed === "" ? [] : listed.split(" ")), [listed]);
  return useNames(projects);
}

function columnsWith(onOpen: OpenEntry, names: Names, isOfOneProject: boolean): readonly Column<RequestEntry>[] {
  return [
    momentColumn(onOpen),
    { id: "status", header: "Status", cell: (row) => <RequestStatus entry={row} /> },
    {
      id: "place",
      header: isOfOneProject ? "Endpoint" : "Project, endpoint",
      cell: (row) => <Place entry={row} names={names} isOfOneProject={isOfOneProject} />,
    },
    { id: "route", header: "Route", cell: routeText },
    { id: "model", header: "Provider, model", cell: ({ provider, model }) => modelText(provider, model) },
    { id: "error", header: "Error", cell: ({ error }) => <ErrorText error={error} /> },
    { id: "took", header: "Duration", isEnd: true, cell: ({ duration_ms }) => formatDuration(duration_ms) },
    { id: "tokens", header: "Tokens", isEnd: true, cell: (row) => tokensText(row) },
    {
      id: "cost",
      header: "Cost",
      isEnd: true,
      cell: (row) => <span title={presumedNote(row)}>{costInColumn(row)}</span>,
    },
  ];
}

/** An error inside a started reply, or of a tool, has a status of success. */
function RequestStatus({ entry: { status, error } }: { readonly entry: RequestEntry }) {
  return error !== null && status < failureFrom ? (
    <Status kind="warning">{status}</Status>
  ) : (
    <HttpStatus status={status} />
  );
}

const failureFrom = 400;

interface PlaceProps {
  readonly entry: RequestEntry;
  readonly names: Names;
  readonly isOfOneProject: boolean;
}

/** Project and endpoint of a request, by name. */
function Place({ entry: { project, endpoint }, names, isOfOneProject }: PlaceProps) {
  const projectName = project === null || isOfOneProject ? "" : (names.projects.get(project) ?? shorten(project));
  if (endpoint === null) return visibleName(projectName);
  const otherwise = [projectName, shorten(endpoint)].filter((part) => part !== "").join(" / ");
  return <EndpointName uuid={endpoint} {...{ names, isOfOneProject, otherwise }} />;
}

function ErrorText({ error }: Pick<RequestEntry, "error">) {
  return error === null ? null : <span title={error}>{error}</span>;
}

/** Calls of the Control Plane share a route, so the operation is shown. */
function routeText({ route, details }: RequestEntry): string {
  const operation = details?.operation;
  return typeof operation === "string" ? `${route}: ${operation}` : route;
}

function modelText(provider: string | null, model: string | null): string {
  return [provider, model].filter((part) => part !== null).join("/");
}

function tokensText({ prompt_tokens, completion_tokens }: RequestEntry): string {
  if (prompt_tokens === null && completion_tokens === null) return "";
  return formatCount((prompt_tokens ?? 0) + (completion_tokens ?? 0));
}
