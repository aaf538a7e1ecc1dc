import { Alert, Button, Group, Stack, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { readPageFacts } from "../../api/page-facts.ts";
import { useEndpoints, useProject, useTokens } from "../../api/reads.ts";
import type { RequestEntry } from "../../api/types.ts";
import { costText, presumedNote, tokensText } from "../../parts/call-sums.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { formatAbsolute, formatDuration, shorten } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { HttpStatus } from "../../parts/status.tsx";
import { TrailView } from "../../parts/trail-view.tsx";
import { curlOf, traceUrlOf } from "./request-links.ts";

interface RequestDrawerProps {
  /** Undefined: the drawer is closed. */
  readonly entry: RequestEntry | undefined;
  readonly onClose: () => void;
}

/** All stored details of one request. */
export function RequestDrawer({ entry, onClose }: RequestDrawerProps) {
  if (entry === undefined) return null;
  const { error, details } = entry;
  const hasDetails = details !== null && details !== undefined && Object.keys(details).length > 0;
  return (
    <SidePanel onClose={onClose} title="Request">
      <Stack>
        {error !== null && (
          <Alert color="red" icon={<Icon name="warning" />}>
            {error}
          </Alert>
        )}
        <Facts facts={factsOf(entry)} />
        <Stack gap="xs">
          <Title order={2}>Trail</Title>
          <TrailView entry={entry} />
        </Stack>
        {entry.project !== null && <OfProject entry={entry} project={entry.project} />}
        {hasDetails && (
          <Stack gap="xs">
            <Title order={2}>Details</Title>
            <CodeBlock text={JSON.stringify(details, null, 2)} label="Details of the request" />
          </Stack>
        )}
      </Stack>
    </SidePanel>
  );
}

function factsOf(entry: RequestEntry) {
  const { request_id, trace_id, at, status, route, user, duration_ms } = entry;
  const { provider, model, attempts, prompt_tokens, cost_usd } = entry;
  const facts: [string, ReactNode][] = [
    ["Request id", <CopyText key="id" text={request_id} label="Copy the request id" />],
    ["When", formatAbsolute(at)],
    ["Status", <HttpStatus key="status" status={status} />],
    ["Route", route],
    ["Duration", formatDuration(duration_ms)],
  ];
  if (trace_id !== null) facts.push(["Trace", <Trace key="trace" traceId={trace_id} />]);
  if (user !== null) facts.push(["User", user]);
  if (provider !== null) facts.push(["Provider, model", `${provider}/${model ?? ""}`], ["Attempts", attempts]);
  if (prompt_tokens !== null) facts.push(["Tokens", tokensText(entry)]);
  if (cost_usd !== null) facts.push(["Cost", [costText(entry), presumedNote(entry)].filter(Boolean).join(". ")]);
  return facts;
}

function Trace({ traceId }: { readonly traceId: string }) {
  const url = traceUrlOf(readPageFacts().traceUrlTemplate, traceId);
  return (
    <Group gap="xs">
      <CopyText text={traceId} shown={shorten(traceId)} label="Copy the trace id" />
      {url !== undefined && (
        <a href={url} className="console-link" target="_blank" rel="noreferrer">
          Open the trace
        </a>
      )}
    </Group>
  );
}

/** Project, endpoint and token of the request by name, with links. */
function OfProject({ entry, project: uuid }: { readonly entry: RequestEntry; readonly project: string }) {
  const { endpoint, token_id } = entry;
  const { data: project } = useProject(uuid);
  const endpoints = useEndpoints(uuid).data?.endpoints;
  const tokens = useTokens(uuid).data?.tokens;
  const called = endpoints?.find((each) => each.uuid === endpoint);
  const slug = called?.slug;
  const token = tokens?.find(({ id }) => id === token_id)?.name;
  const params = { project: uuid };
  const curl = project === undefined ? undefined : curlOf(project, entry.route, called);
  const isChat =
    slug !== undefined && (project?.project_type === "ai_gateway" || project?.project_type === "ai_wrapper");
  return (
    <Stack gap="xs">
      <Title order={2}>Source</Title>
      <Facts
        facts={[
          [
            "Project",
            <Link key="project" to="/projects/$project" params={params} className="console-link">
              {project?.name ?? shorten(uuid)}
            </Link>,
          ],
          ...(endpoint === null
            ? []
            : [["Endpoint", <EndpointLink key="endpoint" {...{ params, slug, endpoint }} />] as const]),
          ...(token_id === null
            ? []
            : [["Token", <TokenLink key="token" {...{ params, token, id: token_id }} />] as const]),
        ]}
      />
      {isChat && (
        <Group>
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link {...props} to="/projects/$project/playground" params={params} search={{ endpoint: slug }} />
            )}
          >
            Open in playground
          </Button>
        </Group>
      )}
      {curl !== undefined && <CodeBlock text={curl} label="The call with curl" />}
    </Stack>
  );
}

interface LinkProps {
  readonly params: { readonly project: string };
}

function EndpointLink({
  params,
  slug,
  endpoint,
}: LinkProps & { readonly slug: string | undefined; readonly endpoint: string }) {
  return (
    <Group gap="xs">
      <Link to="/projects/$project/endpoints/$endpoint" params={{ ...params, endpoint }} className="console-link">
        {slug ?? shorten(endpoint)}
      </Link>
      <CopyText text={endpoint} shown={shorten(endpoint)} label="Copy the endpoint's uuid" />
    </Group>
  );
}

function TokenLink({ params, token, id }: LinkProps & { readonly token: string | undefined; readonly id: number }) {
  return (
    <Link to="/projects/$project/tokens/$token" params={{ ...params, token: String(id) }} className="console-link">
      {token === undefined ? `id ${id}` : `${token} (id ${id})`}
    </Link>
  );
}
