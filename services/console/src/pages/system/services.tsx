import { List, Stack, Title } from "@mantine/core";
import { useSystem } from "../../api/system.ts";
import type { ServiceState } from "../../api/types.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { formatCount, formatSpan } from "../../parts/format.ts";
import { QueryView } from "../../parts/query-view.tsx";
import { Status, type StatusKind } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";

const states: Readonly<Record<ServiceState["state"], { readonly kind: StatusKind; readonly word: string }>> = {
  ready: { kind: "good", word: "Ready" },
  not_ready: { kind: "bad", word: "Not ready" },
  not_reached: { kind: "bad", word: "Unreachable" },
};

const columns: readonly Column<ServiceState>[] = [
  { id: "name", header: "Service", sort: ({ name }) => name, cell: ({ name }) => name },
  { id: "state", header: "State", sort: ({ state }) => state, cell: (service) => <State service={service} /> },
  { id: "problems", header: "Problems and notices", cell: ({ problems }) => <Lines lines={problems} /> },
  { id: "backlogs", header: "Backlog", cell: ({ backlogs }) => <Lines lines={backlogs.map(backlogText)} /> },
  { id: "version", header: "Version", cell: ({ version }) => version ?? "" },
  { id: "runtime", header: "Runtime", cell: ({ runtime }) => runtime ?? "" },
  {
    id: "started",
    header: "Started",
    isEnd: true,
    sort: (row) => row.started_at ?? "",
    cell: ({ started_at: at }) => <Time at={at} none="" />,
  },
];

/** Placeholder lines, about the number of services. */
const serviceLines = 10;

/** Services with their present readiness and backlogs. */
export function Services() {
  return (
    <Stack gap="xs">
      <Title order={2}>Services</Title>
      <QueryView query={useSystem("page")} lines={serviceLines}>
        {({ services }) => (
          <DataTable
            label="Services"
            columns={columns}
            rows={services}
            rowKey={({ name, host = "" }) => `${name} ${host}`}
          />
        )}
      </QueryView>
    </Stack>
  );
}

function State({ service: { state, problems } }: { readonly service: ServiceState }) {
  if (state === "ready" && problems.length > 0) return <Status kind="warning">Ready, with notices</Status>;
  const { kind, word } = states[state];
  return <Status kind={kind}>{word}</Status>;
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <List size="sm" listStyleType="none">
      {lines.map((line) => (
        <List.Item key={line}>{line}</List.Item>
      ))}
    </List>
  );
}

function backlogText({ name, count, oldest_seconds: seconds }: ServiceState["backlogs"][number]): string {
  return `${formatCount(count)} ${name}, the oldest for ${formatSpan(seconds)}`;
}
