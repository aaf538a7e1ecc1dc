import { Alert, Drawer, Stack, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { RequestEntry } from "../../api/types.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { formatAbsolute, formatDuration, formatMoney } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { HttpStatus } from "../../parts/status.tsx";

export interface RequestDrawerProps {
  /** Nothing is open without one. */
  readonly entry: RequestEntry | undefined;
  readonly onClose: () => void;
}

/** All that is kept of one request. */
export function RequestDrawer({ entry, onClose }: RequestDrawerProps) {
  if (entry === undefined) return null;
  const { error, details } = entry;
  return (
    <Drawer opened onClose={onClose} title="Request" closeButtonProps={{ "aria-label": "Close" }}>
      <Stack>
        <Facts facts={factsOf(entry)} />
        {error !== null && (
          <Alert color="red" icon={<Icon name="warning" />}>
            {error}
          </Alert>
        )}
        {details !== null && details !== undefined && (
          <Stack gap="xs">
            <Title order={2}>Trail</Title>
            <CodeBlock text={JSON.stringify(details, null, 2)} label="Trail of the request" />
          </Stack>
        )}
      </Stack>
    </Drawer>
  );
}

function factsOf(entry: RequestEntry) {
  const { request_id, trace_id, at, status, route, project, endpoint, token_id, duration_ms } = entry;
  const { provider, model, attempts, prompt_tokens, completion_tokens, cost_usd } = entry;
  const facts: [string, ReactNode][] = [
    ["Request id", <CopyText key="id" text={request_id} label="Copy the request id" />],
    ["When", formatAbsolute(at)],
    ["Status", <HttpStatus key="status" status={status} />],
    ["Route", route],
    ["Took", formatDuration(duration_ms)],
  ];
  if (trace_id !== null) facts.push(["Trace", <CopyText key="trace" text={trace_id} label="Copy the trace id" />]);
  if (project !== null) facts.push(["Project", <ProjectLink key="project" project={project} />]);
  if (endpoint !== null) facts.push(["Endpoint", endpoint]);
  if (token_id !== null) facts.push(["Token", `id ${token_id}`]);
  if (provider !== null) facts.push(["Provider, model", `${provider}/${model ?? ""}`], ["Attempts", attempts]);
  if (prompt_tokens !== null) facts.push(["Tokens", `${prompt_tokens} prompt, ${completion_tokens ?? 0} completion`]);
  if (cost_usd !== null) facts.push(["Cost", formatMoney(cost_usd)]);
  return facts;
}

function ProjectLink({ project }: { readonly project: string }) {
  return (
    <Link to="/projects/$project" params={{ project }} className="console-link">
      {project}
    </Link>
  );
}
