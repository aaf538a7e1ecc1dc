import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { CallError, missingToken } from "../../api/call-error.ts";
import type { Arguments } from "../../api/control-plane.ts";
import { notReached, toCallError } from "../../api/session.ts";
import type { Project, ToolDefinition } from "../../api/types.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { formatDuration } from "../../parts/format.ts";
import { LiveResult } from "../../parts/live-result.tsx";
import { PlaygroundToken, usePlaygroundToken } from "../../parts/playground-token.tsx";
import { SchemaForm } from "../../parts/schema-form/schema-form.tsx";
import { Status } from "../../parts/status.tsx";

interface ToolCallProps {
  readonly project: Project;
  /** With its prefix. */
  readonly name: string;
  readonly definition: ToolDefinition;
}

interface ToolReply {
  readonly result: unknown;
  readonly isError: boolean;
  readonly durationMs: number;
  readonly requestId: string | null;
}

/** Calls a tool like an MCP client, with a form from its schema. */
export function ToolCall({ project, name, definition }: ToolCallProps) {
  const { description, inputSchema } = definition;
  const token = usePlaygroundToken(project.uuid);
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async (args: Arguments) => await callTool({ project, name, args, token }),
  });
  const needsToken = token === "" ? new CallError(missingToken, { status: 0 }) : null;
  return (
    <Paper className="console-panel" p="md" component="section" aria-label={`Call ${name}`}>
      <Stack gap="sm">
        <Title order={2}>{name}</Title>
        <Text size="sm">{description}</Text>
        <PlaygroundToken project={project} />
        <SchemaForm
          schema={inputSchema}
          isForeign
          names={Object.keys(inputSchema.properties ?? {})}
          submitLabel="Call the tool"
          onSubmit={(args) => mutate(args)}
          isBusy={isPending}
          error={error ?? needsToken}
        />
        <LiveResult>{data !== undefined && <Reply reply={data} />}</LiveResult>
      </Stack>
    </Paper>
  );
}

function Reply({ reply: { result, isError, durationMs, requestId } }: { readonly reply: ToolReply }) {
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Status kind={isError ? "bad" : "good"}>{isError ? "The tool reports an error" : "Answered"}</Status>
        <Text size="sm">{formatDuration(durationMs)}</Text>
        {requestId !== null && <CopyText text={requestId} label="Copy the request id" />}
      </Group>
      <CodeBlock text={JSON.stringify(result, null, 2)} label="Result" />
    </Stack>
  );
}

interface ToolCallRequest {
  readonly project: Project;
  readonly name: string;
  readonly args: Arguments;
  readonly token: string;
}

interface Envelope {
  readonly result?: { readonly isError?: boolean };
  readonly error?: { readonly message: string };
}

/** @throws CallError where the gateway refuses the call */
async function callTool({ project: { uuid }, name, args, token }: ToolCallRequest): Promise<ToolReply> {
  const startedAt = performance.now();
  const reply = await fetch(`/api/${uuid}/mcp`, {
    method: "POST",
    credentials: "omit",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  }).catch(notReached);
  const requestId = reply.headers.get("x-request-id");
  if (!reply.ok) throw await toCallError(reply);
  const { result, error } = (await reply.json()) as Envelope;
  if (error !== undefined)
    throw new CallError(error.message, { status: reply.status, requestId: requestId ?? undefined });
  return { result, isError: result?.isError === true, durationMs: performance.now() - startedAt, requestId };
}
