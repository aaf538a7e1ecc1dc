import { Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { useLog } from "../api/use-log.ts";
import { ErrorAlert } from "./error-alert.tsx";
import { formatCount } from "./format.ts";
import { Waiting } from "./waiting.tsx";

export interface LogViewProps<Entry> {
  readonly log: ReturnType<typeof useLog<Entry>>;
  readonly empty: ReactNode;
  readonly children: (entries: readonly Entry[], onEnd: () => void) => ReactNode;
}

/** The states of a log: on its way, failed, empty, there; and how to read on. */
export function LogView<Entry>({ log, empty, children }: LogViewProps<Entry>) {
  const { entries, error, refetch, readOn, hasMore, isReadingOn } = log;
  if (entries === undefined) return error === null ? <Waiting /> : <ErrorAlert error={error} onRetry={refetch} />;
  return (
    <>
      {entries.length === 0 ? empty : children(entries, readOn)}
      <ErrorAlert error={error} onRetry={refetch} />
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
