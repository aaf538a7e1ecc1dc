import { Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Endpoint, Project } from "../../api/types.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { formatDuration, prettyJson } from "../../parts/format.ts";
import { FreeText } from "../../parts/free-text.tsx";
import { LiveResult } from "../../parts/live-result.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { HttpStatus } from "../../parts/status.tsx";
import { firstCall, sendCall, type Reply } from "./try-call.ts";

interface TryDrawerProps {
  readonly endpoint: Endpoint;
  readonly project: Project;
  readonly onClose: () => void;
}

/** Calls an endpoint like a client: with a token, on the same route. The token stays in this drawer. */
export function TryDrawer({ endpoint, project, onClose }: TryDrawerProps) {
  const [token, setToken] = useState("");
  const call = firstCall(project, endpoint);
  const [body, setBody] = useState(call.body);
  const { mutate, data, variables, error, isPending } = useMutation({
    mutationFn: async (sent: string | undefined) => await sendCall({ ...call, body: sent }, token),
  });
  return (
    <SidePanel onClose={onClose} title={`Try ${endpoint.slug}`}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          This is a real call: limits, guardrails, budget and log apply. {call.method} {call.path}
        </Text>
        <PasswordInput
          label="Token of this project"
          placeholder="svc_live_…"
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
          autoComplete="off"
        />
        {call.body !== undefined && (
          <FreeText
            label="Body"
            value={body ?? ""}
            onText={setBody}
            spent={[call.body, data && variables]}
            isCode
            minRows={4}
            maxRows={16}
          />
        )}
        <Group justify="flex-end">
          <Button loading={isPending} disabled={token === ""} onClick={() => mutate(body)}>
            Send
          </Button>
        </Group>
        <ErrorAlert error={error} />
        <LiveResult>{data !== undefined && <ReplyView reply={data} />}</LiveResult>
      </Stack>
    </SidePanel>
  );
}

function ReplyView({ reply: { status, durationMs, requestId, text } }: { readonly reply: Reply }) {
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <HttpStatus status={status} />
        <Text size="sm">{formatDuration(durationMs)}</Text>
        {requestId !== null && <CopyText text={requestId} label="Copy the request id" />}
      </Group>
      <CodeBlock text={prettyJson(text)} label="Reply" />
    </Stack>
  );
}
