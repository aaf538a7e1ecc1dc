import { Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Fragment, useMemo } from "react";
import type { AuditSearch } from "../../api/search.ts";
import type { AuditEntry } from "../../api/types.ts";
import { useMay, useSchema } from "../../api/use-control-plane.ts";
import { useLogEntry } from "../../api/use-log-entry.ts";
import { useLog } from "../../api/use-log.ts";
import type { Column } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ExportMenu } from "../../parts/export-menu.tsx";
import { ProjectFilter, SpanFilter, useSince } from "../../parts/filter-bar.tsx";
import { shorten, toLabel } from "../../parts/format.ts";
import { LogView, momentColumn, type OpenEntry } from "../../parts/log-view.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Status, type StatusKind } from "../../parts/status.tsx";
import { EventDrawer } from "./event-drawer.tsx";
import { Verification } from "./verification.tsx";

const from = "/audit";

const severityKinds: Readonly<Record<string, StatusKind>> = {
  warn: "warning",
  error: "bad",
  critical: "bad",
};

const columnsWith = (onOpen: OpenEntry): readonly Column<AuditEntry>[] => [
  momentColumn(onOpen),
  { id: "event", header: "Event", cell: ({ event }) => event },
  {
    id: "severity",
    header: "Severity",
    cell: ({ severity }) =>
      severity === "info" ? severity : <Status kind={severityKinds[severity] ?? "off"}>{severity}</Status>,
  },
  { id: "actor", header: "Who", cell: ({ actor }) => actor },
  { id: "project", header: "Project", cell: ({ project }) => <Short text={project?.name} /> },
  { id: "target", header: "Target", cell: ({ target }) => <Short text={target} /> },
  { id: "metadata", header: "Details", cell: ({ metadata }) => <Metadata metadata={metadata} /> },
  { id: "address", header: "From", cell: ({ ip_address }) => ip_address ?? "" },
];

/** A name, cut so that the other columns have room, and whole on hover. */
function Short({ text }: { readonly text: string | null | undefined }) {
  return (
    <div className="console-short" title={text ?? undefined}>
      {text}
    </div>
  );
}

/** Two lines in a long list, and everything on hover. */
function Metadata({ metadata }: Pick<AuditEntry, "metadata">) {
  const facts = Object.entries(metadata).filter(([, value]) => value !== null);
  if (facts.length === 0) return null;
  const whole = facts.map(([name, value]) => `${toLabel(name)}: ${wordsOf(value, (text) => text)}`).join(" · ");
  return (
    <Text size="xs" title={whole} className="console-lines">
      {facts.map(([name, value], place) => (
        <Fragment key={name}>
          {place > 0 && " · "}
          <Text span inherit c="dimmed">
            {toLabel(name)}:
          </Text>{" "}
          {wordsOf(value, shorten)}
        </Fragment>
      ))}
    </Text>
  );
}

const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;

/** A value for people, with ids replaced by names. */
function wordsOf(value: unknown, ofId: (id: string) => string): string {
  if (Array.isArray(value)) return value.map((entry) => wordsOf(entry, ofId)).join(", ");
  if (typeof value !== "string") return JSON.stringify(value);
  return uuid.test(value) ? ofId(value) : value;
}

const operation = "svc_query_audit_log";

/** Page `/audit`. Filters and the open entry are in its search parameters, so that a link leads to the same view. */
export function AuditPage() {
  const { hours, entry, at, ...filters } = useSearch({ from });
  const navigate = useNavigate({ from });
  const columns = useMemo(
    () => columnsWith((opened) => void navigate({ search: (before) => ({ ...before, ...opened }) })),
    [navigate],
  );
  const since = useSince(hours);
  const args = { ...filters, ...(since !== undefined && { since }) };
  const log = useLog(operation, args, true);
  const shown = useLogEntry(operation, { entry, at, project: filters.project }, log.entries);
  const mayVerify = useMay("svc_verify_audit_log");
  return (
    <Stack>
      <PageHeader
        title="Audit"
        description="Who changed what, and what the gateway refused."
        actions={<ExportMenu name="audit" operation={operation} args={args} />}
      />
      <Group justify="space-between" align="flex-end">
        <Filters />
        {mayVerify && <Verification project={filters.project} />}
      </Group>
      <LogView
        log={log}
        label="Events"
        lines={2}
        columns={columns}
        shown={shown}
        empty={
          <EmptyState title="No events">
            No events match these filters. Remove a filter or choose a longer time range.
          </EmptyState>
        }
      >
        {(opened) => (
          <EventDrawer
            entry={opened}
            onClose={() => void navigate({ search: ({ entry: _closed, at: _moment, ...before }) => before })}
          />
        )}
      </LogView>
    </Stack>
  );
}

type Changes = { readonly [Name in keyof AuditSearch]?: AuditSearch[Name] | undefined };

function withFilter(before: AuditSearch, change: Changes): AuditSearch {
  return Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== undefined));
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
