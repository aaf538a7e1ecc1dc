import { Button, Group, NativeSelect, Stack, UnstyledButton } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import type { RequestSearch } from "../../api/search.ts";
import type { Page, RequestEntry } from "../../api/types.ts";
import { useRead } from "../../api/use-control-plane.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ProjectFilter, sinceOf, SpanFilter, TextFilter } from "../../parts/filter-bar.tsx";
import { formatCount, formatDuration, formatMoney, shorten } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Pager } from "../../parts/pager.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { HttpStatus } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { useNow } from "../../parts/use-now.ts";
import { RequestDrawer } from "./request-drawer.tsx";

const from = "/requests";
const tailEveryMs = 5_000;
const statuses = [
  { value: "", label: "Any" },
  { value: "2xx", label: "2xx succeeded" },
  { value: "4xx", label: "4xx refused" },
  { value: "5xx", label: "5xx failed" },
];

/** The gateway log: requests and what became of them. */
export function RequestsPage() {
  const { entry, hours, ...filters } = useSearch({ from });
  const navigate = useNavigate({ from });
  const since = sinceOf(hours, useNow());
  const query = useRead<Page & { readonly entries: readonly RequestEntry[] }>(
    "svc_query_gateway_log",
    { ...(since !== undefined && { since }), ...filters },
    filters.cursor === undefined ? { refetchIntervalMs: tailEveryMs } : {},
  );
  const columns = useMemo(
    () => columnsWith((id) => void navigate({ search: (before) => ({ ...before, entry: id }) })),
    [navigate],
  );
  return (
    <Stack>
      <PageHeader title="Requests" description="What became of each call. No prompt and no answer is kept." />
      <Filters />
      <QueryView query={query}>
        {({ entries, next_cursor }) => (
          <>
            {entries.length === 0 ? (
              <EmptyState title="No requests">None fit these filters.</EmptyState>
            ) : (
              <DataTable label="Requests" columns={columns} rows={entries} rowKey={({ id }) => String(id)} />
            )}
            <Pager
              next={next_cursor}
              cursor={filters.cursor}
              onMove={(cursor) => void navigate({ search: (before) => withFilter(before, { cursor }) })}
            />
            <RequestDrawer
              entry={entries.find(({ id }) => id === entry)}
              onClose={() => void navigate({ search: ({ entry: _closed, ...before }) => before })}
            />
          </>
        )}
      </QueryView>
    </Stack>
  );
}

type Changes = { readonly [Name in keyof RequestSearch]?: RequestSearch[Name] | undefined };

/** Another filter begins at the first page. */
function withFilter(before: RequestSearch, change: Changes): RequestSearch {
  const { cursor: _first, entry: _closed, ...others } = before;
  const entries = Object.entries({ ...others, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

function Filters() {
  const { project, status, request_id, hours, since } = useSearch({ from });
  const navigate = useNavigate({ from });
  const apply = (change: Changes) => void navigate({ search: (before) => withFilter(before, change), replace: true });
  return (
    <Group align="flex-end" gap="sm">
      {since === undefined && <SpanFilter hours={hours} onChange={(next) => apply({ hours: next })} />}
      <ProjectFilter project={project} onChange={(next) => apply({ project: next })} />
      <NativeSelect
        label="Status"
        data={statuses}
        value={status ?? ""}
        onChange={({ currentTarget: { value } }) => apply({ status: value === "" ? undefined : value })}
      />
      <TextFilter
        label="Request id"
        placeholder="req-…"
        value={request_id}
        onApply={(next) => apply({ request_id: next })}
      />
      <OtherFilters onRemove={apply} />
    </Group>
  );
}

/** Filters that only links set: shown, and removed one by one. */
function OtherFilters({ onRemove }: { readonly onRemove: (change: Changes) => void }) {
  const { endpoint, token_id, provider, since, until } = useSearch({ from });
  const shown: readonly (readonly [text: string, removal: Changes] | undefined)[] = [
    endpoint === undefined ? undefined : [`Endpoint ${shorten(endpoint)}`, { endpoint: undefined }],
    token_id === undefined ? undefined : [`Token id ${token_id}`, { token_id: undefined }],
    provider === undefined ? undefined : [`Provider ${provider}`, { provider: undefined }],
    since === undefined ? undefined : [rangeText(since, until), { since: undefined, until: undefined }],
  ];
  return shown
    .filter((filter) => filter !== undefined)
    .map(([text, removal]) => (
      <Button
        key={text}
        variant="default"
        rightSection={<Icon name="cross" size={12} />}
        aria-label={`Remove the filter ${text}`}
        onClick={() => onRemove(removal)}
      >
        {text}
      </Button>
    ));
}

function rangeText(since: string, until: string | undefined): string {
  return (
    [since, until ?? "now"].map((at) => at.replace("T", " ").replace(/:\d+(?:\.\d+)?Z$/, "")).join(" to ") + " UTC"
  );
}

function columnsWith(onOpen: (id: number) => void): readonly Column<RequestEntry>[] {
  return [
    {
      id: "at",
      header: "When",
      cell: ({ id, at }) => (
        <UnstyledButton className="console-link" fz="sm" onClick={() => onOpen(id)}>
          <Time at={at} />
        </UnstyledButton>
      ),
    },
    { id: "status", header: "Status", cell: ({ status }) => <HttpStatus status={status} /> },
    { id: "route", header: "Route", cell: routeText },
    { id: "model", header: "Provider, model", cell: ({ provider, model }) => modelText(provider, model) },
    { id: "error", header: "Error", cell: ({ error }) => error ?? "" },
    { id: "took", header: "Took", isEnd: true, cell: ({ duration_ms }) => formatDuration(duration_ms) },
    { id: "tokens", header: "Tokens", isEnd: true, cell: (row) => tokensText(row) },
    {
      id: "cost",
      header: "Cost",
      isEnd: true,
      cell: ({ cost_usd }) => (cost_usd === null ? "" : formatMoney(cost_usd)),
    },
  ];
}

/** Calls of the Control Plane share a route; the operation tells them apart. */
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
