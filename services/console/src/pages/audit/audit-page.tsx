import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { AuditSearch } from "../../api/search.ts";
import type { AuditCheck, AuditEntry, Page } from "../../api/types.ts";
import { useMay, useRead, useSchema, useSignedIn } from "../../api/use-control-plane.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { ProjectFilter, sinceOf, SpanFilter } from "../../parts/filter-bar.tsx";
import { formatCount } from "../../parts/format.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { Pager } from "../../parts/pager.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { Status, type StatusKind } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { useNow } from "../../parts/use-now.ts";

const from = "/audit";

const severityKinds: Readonly<Record<string, StatusKind>> = {
  info: "off",
  warn: "warning",
  error: "bad",
  critical: "bad",
};

const columns: readonly Column<AuditEntry>[] = [
  { id: "at", header: "When", cell: ({ at }) => <Time at={at} /> },
  { id: "event", header: "Event", cell: ({ event }) => event },
  {
    id: "severity",
    header: "Severity",
    cell: ({ severity }) => <Status kind={severityKinds[severity] ?? "off"}>{severity}</Status>,
  },
  { id: "actor", header: "Who", cell: ({ actor }) => actor },
  { id: "project", header: "Project", cell: ({ project }) => project?.name ?? "" },
  { id: "target", header: "What", cell: ({ target }) => target ?? "" },
  { id: "metadata", header: "Details", cell: ({ metadata }) => <Metadata metadata={metadata} /> },
  { id: "address", header: "From", cell: ({ ip_address }) => ip_address ?? "" },
];

function Metadata({ metadata }: Pick<AuditEntry, "metadata">) {
  const text = JSON.stringify(metadata);
  if (text === "{}") return null;
  return (
    <Text size="xs" ff="monospace" lineClamp={2} title={text}>
      {text}
    </Text>
  );
}

/** The audit log: who did what. */
export function AuditPage() {
  const { hours, ...filters } = useSearch({ from });
  const navigate = useNavigate({ from });
  const since = sinceOf(hours, useNow());
  const query = useRead<Page & { readonly entries: readonly AuditEntry[] }>("svc_query_audit_log", {
    ...filters,
    ...(since !== undefined && { since }),
  });
  const mayVerify = useMay("svc_verify_audit_log");
  return (
    <Stack>
      <PageHeader title="Audit" description="Who changed what, and what the gateway refused." />
      <Group justify="space-between" align="flex-end">
        <Filters />
        {mayVerify && <Verify project={filters.project} />}
      </Group>
      <QueryView query={query}>
        {({ entries, next_cursor }) => (
          <>
            {entries.length === 0 ? (
              <EmptyState title="No events">None fit these filters.</EmptyState>
            ) : (
              <DataTable label="Events" columns={columns} rows={entries} rowKey={({ id }) => String(id)} />
            )}
            <Pager
              next={next_cursor}
              cursor={filters.cursor}
              onMove={(cursor) => void navigate({ search: (before) => withFilter(before, { cursor }) })}
            />
          </>
        )}
      </QueryView>
    </Stack>
  );
}

type Changes = { readonly [Name in keyof AuditSearch]?: AuditSearch[Name] | undefined };

/** Another filter begins at the first page. */
function withFilter({ cursor: _first, ...others }: AuditSearch, change: Changes): AuditSearch {
  return Object.fromEntries(Object.entries({ ...others, ...change }).filter(([, value]) => value !== undefined));
}

function Filters() {
  const { project, event, hours } = useSearch({ from });
  const navigate = useNavigate({ from });
  const events = useSchema("svc_query_audit_log").properties?.event?.enum ?? [];
  const apply = (change: Changes) => void navigate({ search: (before) => withFilter(before, change), replace: true });
  return (
    <Group align="flex-end" gap="sm">
      <SpanFilter hours={hours} onChange={(next) => apply({ hours: next })} />
      <ProjectFilter project={project} onChange={(next) => apply({ project: next })} />
      <NativeSelect
        label="Event"
        data={[{ value: "", label: "All events" }, ...events.filter((key) => key !== null)]}
        value={event ?? ""}
        onChange={({ currentTarget: { value } }) => apply({ event: value === "" ? undefined : value })}
      />
    </Group>
  );
}

/** Recomputes the chain of hashes over the whole log. */
function Verify({ project }: { readonly project: string | undefined }) {
  const { controlPlane } = useSignedIn();
  const args = project === undefined ? {} : { project };
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async () => await controlPlane.call<AuditCheck>("svc_verify_audit_log", args),
  });
  return (
    <Group gap="xs" aria-live="polite">
      <ErrorAlert error={error} />
      {data !== undefined && (
        <Status kind={data.ok ? "good" : "bad"}>
          {data.ok ? `${formatCount(data.rows)} entries, unchanged` : `${data.faults.length} faults`}
        </Status>
      )}
      <Button variant="default" loading={isPending} onClick={() => mutate()}>
        Verify the log
      </Button>
    </Group>
  );
}
