import { Group, Stack, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { statusOfKind } from "../../api/metrics.ts";
import type { RequestSearch } from "../../api/search.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { formatCount } from "../../parts/format.ts";

const labels: Readonly<Record<string, string>> = {
  guardrail_blocked: "Blocked by a guardrail",
  budget_exhausted: "Budget exhausted",
  rate_limited: "Rate limited",
  unauthorized: "Not authorised",
  invalid: "Invalid request",
  client_gone: "Client disconnected",
  provider: "Provider or upstream failed",
  internal: "Gateway error",
  in_reply: "Error inside a 2xx reply",
};

interface KindRow {
  readonly kind: string;
  readonly count: number;
}

interface ErrorKindsProps {
  readonly kinds: Readonly<Record<string, number>>;
  /** Log filters for the same requests. */
  readonly search: RequestSearch;
}

/** Failed requests by kind of failure; each links to the log. */
export function ErrorKinds({ kinds, search }: ErrorKindsProps) {
  const columns = useMemo(() => columnsWith(search), [search]);
  const rows = Object.entries(kinds)
    .map(([kind, count]) => ({ kind, count }))
    .sort((left, right) => right.count - left.count);
  return (
    <Stack gap="xs">
      <Group mih={30}>
        <Title order={2}>Errors</Title>
      </Group>
      {rows.length === 0 ? (
        <EmptyState title="No errors">Every request in this time range succeeded.</EmptyState>
      ) : (
        <DataTable label="Errors by kind" columns={columns} rows={rows} rowKey={({ kind }) => kind} />
      )}
    </Stack>
  );
}

function columnsWith(search: RequestSearch): readonly Column<KindRow>[] {
  return [
    { id: "kind", header: "Kind", cell: ({ kind }) => <KindLink kind={kind} search={search} /> },
    {
      id: "count",
      header: "Requests",
      isEnd: true,
      sort: ({ count }) => count,
      cell: ({ count }) => formatCount(count),
    },
  ];
}

function KindLink({ kind, search }: { readonly kind: string; readonly search: RequestSearch }) {
  const status = statusOfKind(kind);
  return (
    <Link to="/requests" search={{ ...search, ...(status !== undefined && { status }) }} className="console-link">
      {labels[kind] ?? kind}
    </Link>
  );
}
