import { Alert, Button, Group, Text, UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import type { ShownEntry } from "../api/use-log-entry.ts";
import type { Log } from "../api/use-log.ts";
import { type Column, DataTable } from "./data-table.tsx";
import { ErrorAlert } from "./error-alert.tsx";
import { formatCount } from "./format.ts";
import { StaleNote } from "./stale-note.tsx";
import { Time } from "./time.tsx";
import { Waiting } from "./waiting.tsx";

/** Opens the entry of an id, with its moment. */
export type OpenEntry = (opened: { readonly entry: number; readonly at: string }) => void;

/** Column with an entry's time, which opens the entry. */
export function momentColumn<Entry extends { readonly id: number; readonly at: string }>(
  onOpen: OpenEntry,
): Column<Entry> {
  return {
    id: "at",
    header: "When",
    cell: ({ id, at }) => (
      <UnstyledButton className="console-link" fz="sm" onClick={() => onOpen({ entry: id, at })}>
        <Time at={at} />
      </UnstyledButton>
    ),
  };
}

interface LogViewProps<Entry> {
  readonly log: Log<Entry>;
  readonly label: string;
  readonly columns: readonly Column<Entry>[];
  /** See `DataTable`. */
  readonly lines?: 1 | 2;
  /** Shown without entries. */
  readonly empty: ReactNode;
  /** The entry shown in detail. */
  readonly shown: ShownEntry<Entry>;
  /** Renders the details of that entry, once read. */
  readonly children: (entry: Entry | undefined) => ReactNode;
}

/** Renders a log's states: loading, failed, empty, or a table, with a way to older entries. */
export function LogView<Entry extends { readonly id: number }>(props: LogViewProps<Entry>) {
  const { log, label, columns, empty, shown, children } = props;
  const { entries, error, refetch, reading, readOn, hasMore, isReadingOn } = log;
  if (entries === undefined) return error === null ? <Waiting /> : <ErrorAlert error={error} onRetry={refetch} />;
  return (
    <>
      {entries.length === 0 ? (
        empty
      ) : (
        <DataTable
          label={label}
          columns={columns}
          rows={entries}
          rowKey={({ id }) => String(id)}
          selected={shown.id === undefined ? undefined : String(shown.id)}
          lines={props.lines}
          onEnd={readOn}
        />
      )}
      {children(shown.entry)}
      {shown.isMissing && (
        <Alert color="gray">
          The log does not have the entry of this link, or your role does not include its project.
        </Alert>
      )}
      <div className="console-trouble">
        <StaleNote query={reading} />
        <ErrorAlert error={error} onRetry={refetch} />
      </div>
      {entries.length > 0 && (
        <Group justify="space-between">
          <Text size="xs" c="dimmed">
            {formatCount(entries.length)} shown{hasMore ? "; there are older ones" : ""}
          </Text>
          {hasMore && (
            <Button variant="default" loading={isReadingOn} onClick={readOn}>
              Show older
            </Button>
          )}
        </Group>
      )}
    </>
  );
}
