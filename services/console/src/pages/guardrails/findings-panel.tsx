import { Button, Group, NativeSelect, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Arguments } from "../../api/control-plane.ts";
import type { ArgumentsOf, PastFinding } from "../../api/types.ts";
import { useChange, useMay, useRead, useSchema } from "../../api/use-control-plane.ts";
import { type Names, useNames } from "../../api/use-names.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { EndpointName } from "../../parts/endpoint-name.tsx";
import { toLabel } from "../../parts/format.ts";
import { notifyDone, notifyFailed } from "../../parts/notify.ts";
import { Pager } from "../../parts/pager.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { Status, type StatusKind } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";

const rowsOfPage = 50;
const refetchIntervalMs = 15_000;

/** Findings of the last 30 days, newest first, each with a button to report a false alarm. */
export function FindingsPanel({ subject }: { readonly subject: Arguments }) {
  const [detector, setDetector] = useState("");
  const [cursor, setCursor] = useState<string>();
  const detectors = useSchema("svc_list_findings").properties?.["detector"]?.enum ?? [];
  const { project } = subject;
  const named = useMemo(() => (typeof project === "string" ? [project] : []), [project]);
  const names = useNames(named);
  const columns = useMemo(() => columnsWith(subject, names), [subject, names]);
  const query = useRead(
    "svc_list_findings",
    {
      ...subject,
      limit: rowsOfPage,
      ...(detector !== "" && { detector }),
      ...(cursor !== undefined && { cursor }),
    } as ArgumentsOf<"svc_list_findings">,
    { refetchIntervalMs },
  );
  const choose = (next: string) => {
    setDetector(next);
    setCursor(undefined);
  };
  return (
    <Stack gap="xs">
      <Group justify="space-between" align="flex-end">
        <Stack gap={2}>
          <Title order={2}>Findings</Title>
          <Text size="sm" c="dimmed">
            Of the last 30 days, newest first.
          </Text>
        </Stack>
        <NativeSelect
          label="Detector"
          data={[
            { value: "", label: "All" },
            ...detectors.flatMap((name) => (name === null ? [] : [{ value: name, label: toLabel(name) }])),
          ]}
          value={detector}
          onChange={(event) => choose(event.currentTarget.value)}
        />
      </Group>
      <QueryView query={query}>
        {({ findings, next_cursor: next }) => (
          <>
            {findings.length === 0 ? (
              <EmptyState title="No findings" command={{ operation: "svc_test_guardrails", args: wordsOf(subject) }}>
                Findings of the policy's checks appear here. Try the policy on a text above.
              </EmptyState>
            ) : (
              <DataTable label="Findings" columns={columns} rows={findings} rowKey={({ id }) => String(id)} />
            )}
            <Pager next={next} cursor={cursor} onMove={setCursor} />
          </>
        )}
      </QueryView>
    </Stack>
  );
}

/** The project or the endpoint, by uuid, for log filters. */
function wordsOf(subject: Arguments): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(subject).map(([name, value]) => [name, String(value)]));
}

const kinds: Readonly<Record<string, StatusKind>> = {
  block: "bad",
  blocked: "bad",
  mask: "warning",
  masked: "warning",
};

function columnsWith(subject: Arguments, names: Names): readonly Column<PastFinding>[] {
  const endpointColumn: Column<PastFinding> = {
    id: "endpoint",
    header: "Endpoint",
    cell: ({ endpoint }) => endpoint !== null && <EndpointName uuid={endpoint} names={names} isOfOneProject />,
  };
  return [
    { id: "at", header: "When", cell: ({ at }) => <Time at={at} /> },
    ...("project" in subject ? [endpointColumn] : []),
    { id: "detector", header: "Detector", cell: ({ detector }) => toLabel(detector) },
    {
      id: "label",
      header: "Found",
      cell: ({ label, score }) => (score === null ? label : `${label} ${score.toFixed(2)}`),
    },
    { id: "side", header: "In", cell: ({ side }) => side },
    { id: "action", header: "Action", cell: ({ action }) => <Status kind={kinds[action] ?? "off"}>{action}</Status> },
    { id: "excerpt", header: "Excerpt", cell: ({ excerpt }) => excerpt ?? "" },
    { id: "request", header: "Request", cell: ({ request_id }) => <RequestLink requestId={request_id} /> },
    { id: "actions", header: "", isEnd: true, cell: ({ id }) => <FalseAlarm subject={subject} findingId={id} /> },
  ];
}

function RequestLink({ requestId }: { readonly requestId: string }) {
  return (
    <Link to="/requests" search={{ request_id: requestId }} className="console-link">
      Show
    </Link>
  );
}

function FalseAlarm({ subject, findingId }: { readonly subject: Arguments; readonly findingId: number }) {
  const { mutate, isPending, isSuccess } = useChange("svc_add_guardrail_feedback");
  if (!useMay("svc_add_guardrail_feedback")) return null;
  return (
    <Button
      variant="default"
      loading={isPending}
      disabled={isSuccess}
      onClick={() =>
        mutate(
          { ...subject, kind: "false_alarm", finding_id: findingId },
          { onSuccess: () => notifyDone("It is kept as a false alarm."), onError: notifyFailed },
        )
      }
    >
      {isSuccess ? "Reported" : "False alarm"}
    </Button>
  );
}
