import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useFailingWebhooks } from "../../api/reads.ts";
import type { AuditEntry } from "../../api/types.ts";
import { useMay, useRead, useReadEach } from "../../api/use-control-plane.ts";
import { useSince } from "../../parts/filter-bar.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";

/** Events that require an action, and the tab of the project for it. */
const warnings = {
  "budget.exhausted": { text: "Budget exhausted", to: "/projects/$project" },
  "budget.threshold_reached": { text: "Budget nearly used", to: "/projects/$project" },
  "upstream.tools_changed": { text: "Tools to approve", to: "/projects/$project/upstreams" },
  "oauth_connection.refresh_failed": { text: "Connection failed", to: "/projects/$project/connections" },
} as const;
type Warning = keyof typeof warnings;

const hours = 24;
const ofEachMax = 5;
const refetchIntervalMs = 30_000;

/** Present problems and those of the last day, with links; nothing without problems. */
export function Problems() {
  const found = [
    ...useBrokenProviders(),
    ...useFailingReceivers(),
    ...warningsOf("budget.exhausted", useNewestOf("budget.exhausted")),
    ...warningsOf("budget.threshold_reached", useNewestOf("budget.threshold_reached")),
    ...warningsOf("upstream.tools_changed", useToolsToApprove()),
    ...warningsOf("oauth_connection.refresh_failed", useFailedConnections()),
  ];
  return (
    <Paper className="console-panel" p="md" component="section" aria-label="Needs attention">
      <Stack gap="xs">
        <Title order={2}>Needs attention</Title>
        {/* Keeps its place, so that the page does not jump. */}
        {found.length === 0 ? (
          <Text size="sm" c="dimmed">
            No known problems.
          </Text>
        ) : (
          found
        )}
      </Stack>
    </Paper>
  );
}

function useBrokenProviders(): readonly ReactNode[] {
  const { data } = useRead(
    "svc_get_provider_health",
    {},
    { enabled: useMay("svc_get_provider_health"), refetchIntervalMs },
  );
  const broken = (data?.providers ?? []).filter(({ state, enabled }) => enabled && state !== "closed");
  return broken.map(({ provider, credential, last_failure: failure }) => (
    <Group key={`${provider} ${credential ?? ""}`} gap="xs">
      <Status kind="bad">Not responding</Status>
      <Link to="/providers" className="console-link">
        {provider}
      </Link>
      <Text size="sm">{failure}</Text>
    </Group>
  ));
}

function useFailingReceivers(): readonly ReactNode[] {
  const failing = useFailingWebhooks();
  return failing.slice(0, ofEachMax).map((webhook) => (
    <Group key={`webhook ${webhook.webhook_id}`} gap="xs">
      <Status kind="bad">Deliveries fail</Status>
      <Link
        to="/projects/$project/webhooks/$webhook"
        params={{ project: webhook.project, webhook: String(webhook.webhook_id) }}
        className="console-link"
      >
        {webhook.name}
      </Link>
      <Text size="sm">{webhook.last_error}</Text>
      <Text size="sm" c="dimmed">
        <Time at={webhook.last_attempted_at} />
      </Text>
    </Group>
  ));
}

/** Changes of tools that are not approved yet. */
function useToolsToApprove(): readonly AuditEntry[] {
  const entries = useNewestOf("upstream.tools_changed");
  const enabled = useMay("svc_list_upstreams");
  const pages = useReadEach("svc_list_upstreams", enabled ? projectsOf(entries) : [], { refetchIntervalMs });
  const changed = pages.flatMap(({ upstreams }) => upstreams.filter(({ state }) => state.changed_tools.length > 0));
  if (!enabled) return entries;
  return entries.filter((entry) => changed.some(({ project, prefix }) => isOf(entry, project, prefix)));
}

/** Failures of connections that are still failed. */
function useFailedConnections(): readonly AuditEntry[] {
  const entries = useNewestOf("oauth_connection.refresh_failed");
  const enabled = useMay("svc_list_oauth_connections");
  const pages = useReadEach("svc_list_oauth_connections", enabled ? projectsOf(entries) : [], { refetchIntervalMs });
  const failed = pages.flatMap((page) => page.oauth_connections.filter(({ status }) => status === "failed"));
  if (!enabled) return entries;
  return entries.filter((entry) => failed.some(({ project, name }) => isOf(entry, project, name)));
}

function projectsOf(entries: readonly AuditEntry[]): readonly { readonly project: string }[] {
  const uuids = entries.flatMap(({ project }) => (project === null ? [] : [project.uuid]));
  return [...new Set(uuids)].map((project) => ({ project }));
}

function isOf(entry: AuditEntry, project: string, name: string): boolean {
  return entry.project?.uuid === project && entry.target === name;
}

/** The newest event of each item. */
function useNewestOf(event: Warning): readonly AuditEntry[] {
  const since = useSince(hours);
  const { data } = useRead(
    "svc_query_audit_log",
    { event, limit: ofEachMax, ...(since !== undefined && { since }) },
    { enabled: useMay("svc_query_audit_log"), refetchIntervalMs },
  );
  const byItem = new Map((data?.entries ?? []).toReversed().map((entry) => [itemOf(entry), entry]));
  return [...byItem.values()];
}

function itemOf({ project, target }: AuditEntry): string {
  return `${project?.uuid} ${target}`;
}

function warningsOf(event: Warning, entries: readonly AuditEntry[]): readonly ReactNode[] {
  const { text, to } = warnings[event];
  return entries.map((entry) => {
    const { at, target, project } = entry;
    return (
      <Group key={`${event} ${itemOf(entry)}`} gap="xs">
        <Status kind="warning">{text}</Status>
        {project === null ? (
          target
        ) : (
          <Link to={to} params={{ project: project.uuid }} className="console-link">
            {project.name}: {target}
          </Link>
        )}
        <Text size="sm" c="dimmed">
          <Time at={at} />
        </Text>
      </Group>
    );
  });
}
