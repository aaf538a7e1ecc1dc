import { Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Endpoint, Project } from "../../api/types.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { formatDuration, prettyJson } from "../../parts/format.ts";
import { FreeText } from "../../parts/free-text.tsx";
import { LiveResult } from "../../parts/live-result.tsx";
import { PlaygroundToken, usePlaygroundToken } from "../../parts/playground-token.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { HttpStatus } from "../../parts/status.tsx";
import { type Call, firstCall, methodsOf, pathWith, type Reply, sendCall, takesBody } from "./try-call.ts";

interface TryDrawerProps {
  readonly endpoint: Endpoint;
  readonly project: Project;
  readonly onClose: () => void;
}

/** Calls an endpoint like a client: with a token, on the same route. */
export function TryDrawer({ endpoint, project, onClose }: TryDrawerProps) {
  const token = usePlaygroundToken(project.uuid);
  const first = firstCall(project, endpoint);
  const [method, setMethod] = useState(first.method);
  const [added, setAdded] = useState("");
  const [body, setBody] = useState(first.body ?? "{}");
  const call: Call = { method, path: pathWith(first.path, added), body: takesBody(method) ? body : undefined };
  const { mutate, data, variables, error, isPending } = useMutation({
    mutationFn: async (sent: Call) => await sendCall(sent, token),
  });
  return (
    <SidePanel onClose={onClose} title={`Try ${endpoint.slug}`}>
      <Stack gap="sm">
        <PlaygroundToken project={project} />
        <Text size="sm" c="dimmed" className="console-said">
          {method} {call.path}
        </Text>
        {project.project_type === "api_gateway" && (
          <Group gap="sm" align="flex-end">
            <NativeSelect
              label="Method"
              data={[...methodsOf(endpoint)]}
              value={method}
              onChange={(event) => setMethod(event.currentTarget.value)}
            />
            <TextInput
              label="Path and query"
              placeholder="/items?limit=10"
              value={added}
              onChange={(event) => setAdded(event.currentTarget.value)}
              autoComplete="off"
              flex={1}
            />
          </Group>
        )}
        {takesBody(method) && (
          <FreeText
            label="Body"
            value={body}
            onText={setBody}
            spent={[first.body ?? "{}", data && variables?.body]}
            isCode
            minRows={4}
            maxRows={16}
          />
        )}
        <Group justify="flex-end">
          <Button loading={isPending} disabled={token === ""} onClick={() => mutate(call)}>
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
      {text === "" ? (
        <Text size="sm" c="dimmed">
          The reply has no body.
        </Text>
      ) : (
        <CodeBlock text={prettyJson(text)} label="Reply" />
      )}
    </Stack>
  );
}
