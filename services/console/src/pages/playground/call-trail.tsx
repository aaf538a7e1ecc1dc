import { Group, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMay, useRead } from "../../api/use-control-plane.ts";
import { costText, tokensText } from "../../parts/call-sums.ts";
import { CopyText } from "../../parts/copy-text.tsx";
import { formatDuration } from "../../parts/format.ts";
import { HttpStatus, Status } from "../../parts/status.tsx";
import { TrailView } from "../../parts/trail-view.tsx";
import type { ChatReply } from "./chat-reply.ts";

/** Interval of reading the entry, which is logged some 100 ms after its request. */
const askEveryMs = 500;

/** Timing of a call by its log entry: steps, attempts, tokens and cost. */
export function CallTrail({ reply }: { readonly reply: ChatReply }) {
  const { state, status, requestId, firstWordMs, durationMs } = reply;
  const hasEnded = state !== "waiting" && state !== "answering";
  return (
    <Stack gap="sm">
      <Group gap="xs">
        {status === undefined ? <Status kind="off">{stateText[state]}</Status> : <HttpStatus status={status} />}
        {state === "stopped" && <Status kind="warning">Stopped</Status>}
        {firstWordMs !== undefined && <Text size="sm">first word {formatDuration(firstWordMs)}</Text>}
        {durationMs !== undefined && <Text size="sm">whole {formatDuration(durationMs)}</Text>}
        {requestId !== undefined && <CopyText text={requestId} label="Copy the request id" />}
      </Group>
      {hasEnded && requestId !== undefined && <LoggedTrail requestId={requestId} />}
    </Stack>
  );
}

const stateText: Readonly<Record<ChatReply["state"], string>> = {
  waiting: "Waiting",
  answering: "Answering",
  done: "Done",
  stopped: "Stopped",
  failed: "Failed",
};

function LoggedTrail({ requestId }: { readonly requestId: string }) {
  const mayRead = useMay("svc_query_gateway_log");
  const { data } = useRead(
    "svc_query_gateway_log",
    { request_id: requestId },
    { enabled: mayRead, refetchUntil: ({ entries }) => entries.length > 0, refetchIntervalMs: askEveryMs },
  );
  const entry = data?.entries[0];
  if (!mayRead) return null;
  if (entry === undefined) {
    return (
      <Text size="sm" c="dimmed">
        Waiting for the log entry.
      </Text>
    );
  }
  const { provider, model, attempts, at, prompt_tokens, cost_usd } = entry;
  return (
    <Stack gap="sm">
      <Group gap="md">
        {provider !== null && <Text size="sm">{`${provider}/${model ?? ""}`}</Text>}
        {attempts > 0 && <Text size="sm">{attempts === 1 ? "1 attempt" : `${attempts} attempts`}</Text>}
        {prompt_tokens !== null && <Text size="sm">{tokensText(entry)}</Text>}
        {cost_usd !== null && <Text size="sm">{costText(entry)}</Text>}
        <Link to="/requests" search={{ request_id: requestId, entry: entry.id, at }} className="console-link">
          In the log
        </Link>
      </Group>
      <TrailView entry={entry} />
    </Stack>
  );
}
