import { Badge, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Arguments } from "../../api/control-plane.ts";
import type { Finding, Verdict } from "../../api/types.ts";
import { useChange, useMay, useSignedIn } from "../../api/use-control-plane.ts";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { FreeText } from "../../parts/free-text.tsx";
import { LiveResult } from "../../parts/live-result.tsx";
import { Status } from "../../parts/status.tsx";
import { FeedbackList } from "./feedback-list.tsx";
import { markFindings } from "./mark-findings.ts";

/** Runs the stored policy on a text, and marks the findings. Stores nothing except reported verdicts. */
export function TryOut({ subject }: { readonly subject: Arguments }) {
  const { controlPlane } = useSignedIn();
  const [text, setText] = useState("");
  const mayList = useMay("svc_list_guardrail_feedback");
  const { mutate, data, variables, error, isPending } = useMutation({
    mutationFn: async (tried: string) => await controlPlane.call("svc_test_guardrails", { ...subject, text: tried }),
  });
  return (
    <Paper className="console-panel" p="md">
      <Stack gap="sm">
        <Title order={2}>Try it</Title>
        <FreeText
          label="Text"
          description="Judged by the saved policy, not by unsaved changes."
          value={text}
          onText={setText}
          spent={[data && variables]}
          minRows={4}
          maxRows={14}
        />
        <Group justify="flex-end">
          <Button loading={isPending} disabled={text === ""} onClick={() => mutate(text)}>
            Check the text
          </Button>
        </Group>
        <ErrorAlert error={error} />
        <LiveResult>
          {data !== undefined && variables !== undefined && <VerdictView verdict={data} text={variables} />}
        </LiveResult>
        {data !== undefined && variables !== undefined && (
          <WrongButton key={variables} subject={subject} text={variables} verdict={data} />
        )}
        {mayList && <FeedbackList subject={subject} />}
      </Stack>
    </Paper>
  );
}

interface WrongButtonProps {
  readonly subject: Arguments;
  readonly text: string;
  readonly verdict: Verdict;
}

/** Stores a masked text with a wrong verdict: a false alarm or a missed finding. */
function WrongButton({ subject, text, verdict: { findings } }: WrongButtonProps) {
  const { mutate, isPending, isSuccess, error } = useChange("svc_add_guardrail_feedback");
  if (!useMay("svc_add_guardrail_feedback")) return null;
  const kind = findings.length > 0 ? "false_alarm" : "missed";
  return (
    <>
      <Group gap="xs">
        <Button
          variant="default"
          loading={isPending}
          disabled={isSuccess}
          onClick={() => mutate({ ...subject, kind, text })}
        >
          {isSuccess ? "Reported" : "Report as wrong"}
        </Button>
        <Text size="xs" c="dimmed">
          Keeps the text, with everything known masked, as {kind === "missed" ? "missed" : "a false alarm"}.
        </Text>
      </Group>
      <ErrorAlert error={error} />
    </>
  );
}

function VerdictView({ verdict, text }: { readonly verdict: Verdict; readonly text: string }) {
  const { blocked, message, findings } = verdict;
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Status kind={blocked ? "bad" : "good"}>{blocked ? "Blocked" : "Allowed"}</Status>
        {typeof message === "string" && <Text size="sm">{message}</Text>}
      </Group>
      <div className="console-code">
        {markFindings(text, findings).map(({ start, part, findings: around }) => (
          <Marked key={start} findings={around}>
            {part}
          </Marked>
        ))}
      </div>
      <Findings findings={findings} />
    </Stack>
  );
}

/** A mark for each finding around a part of the text, one in the other. */
function Marked({ findings: [outer, ...inner], children }: Pick<Verdict, "findings"> & { readonly children: string }) {
  if (outer === undefined) return children;
  return (
    <mark className="console-mark" data-detector={outer.detector} title={`${outer.label} (${outer.detector})`}>
      <Marked findings={inner}>{children}</Marked>
    </mark>
  );
}

/** Legend of the marks. */
function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) return <Text size="sm">No findings.</Text>;
  return (
    <Group gap={4}>
      {findings.map(({ label, detector, start, end, score }) => (
        <Badge
          key={`${detector} ${label} ${start} ${end}`}
          color="gray"
          leftSection={<span className="console-mark-key" data-detector={detector} />}
        >
          {label} {score === undefined || score === null ? "" : score.toFixed(2)}
        </Badge>
      ))}
    </Group>
  );
}
