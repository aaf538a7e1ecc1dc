import { Badge, Button, Group, Paper, Stack, Text, Textarea, Title } from "@mantine/core";
import { useState } from "react";
import type { Arguments } from "../../api/control-plane.ts";
import type { Finding, Verdict } from "../../api/types.ts";
import { useSignedIn } from "../../api/use-control-plane.ts";
import { useMutation } from "@tanstack/react-query";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { Status } from "../../parts/status.tsx";
import { markFindings } from "./mark-findings.ts";
import { WrongList, type WrongVerdict } from "./wrong-list.tsx";

/** Runs the stored policy over a text, and marks what it finds. Nothing of it is kept. */
export function TryOut({ subject }: { readonly subject: Arguments }) {
  const { controlPlane } = useSignedIn();
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState<readonly WrongVerdict[]>([]);
  const { mutate, data, variables, error, isPending } = useMutation({
    mutationFn: async (tried: string) =>
      await controlPlane.call<Verdict>("svc_test_guardrails", { ...subject, text: tried }),
  });
  return (
    <Paper className="console-panel" p="md">
      <Stack gap="sm">
        <Title order={2}>Try it</Title>
        <Textarea
          label="Text"
          description="Judged by the policy that is in force, not by unsaved changes."
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autosize
          minRows={4}
          maxRows={14}
        />
        <Group justify="flex-end">
          <Button loading={isPending} disabled={text === ""} onClick={() => mutate(text)}>
            Check the text
          </Button>
        </Group>
        <ErrorAlert error={error} />
        {data !== undefined && variables !== undefined && (
          <>
            <VerdictView verdict={data} text={variables} />
            <Group>
              <Button
                variant="default"
                disabled={wrong.some(({ text: noted }) => noted === variables)}
                onClick={() =>
                  setWrong([...wrong, { text: variables, blocked: data.blocked, findings: data.findings }])
                }
              >
                This is wrong
              </Button>
            </Group>
          </>
        )}
        <WrongList verdicts={wrong} />
      </Stack>
    </Paper>
  );
}

function VerdictView({ verdict, text }: { readonly verdict: Verdict; readonly text: string }) {
  const { blocked, message, findings } = verdict;
  return (
    <Stack gap="sm" aria-live="polite">
      <Group gap="xs">
        <Status kind={blocked ? "bad" : "good"}>{blocked ? "Blocked" : "Let through"}</Status>
        {typeof message === "string" && <Text size="sm">{message}</Text>}
      </Group>
      <div className="console-code">
        {markFindings(text, findings).map(({ start, part, finding }) =>
          finding === undefined ? (
            part
          ) : (
            <mark key={start} className="console-mark" title={`${finding.label} (${finding.detector})`}>
              {part}
            </mark>
          ),
        )}
      </div>
      <Findings findings={findings} />
    </Stack>
  );
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) return <Text size="sm">No findings.</Text>;
  return (
    <Group gap={4}>
      {findings.map(({ label, detector, start, end, score }) => (
        <Badge key={`${detector} ${label} ${start} ${end}`} color="gray">
          {label} {score === undefined || score === null ? "" : score.toFixed(2)}
        </Badge>
      ))}
    </Group>
  );
}
