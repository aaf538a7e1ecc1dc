import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useUpstreamTools } from "../../api/reads.ts";
import type { Upstream, UpstreamTool } from "../../api/types.ts";
import { useChange, useMay } from "../../api/use-control-plane.ts";
import { DiffView } from "../../parts/diff-view.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { Time } from "../../parts/time.tsx";

/** Definitions that differ from the approved ones, each as a comparison for review. */
export function ChangedTools({ upstream: { id, state } }: { readonly upstream: Upstream }) {
  const { data, refetch } = useUpstreamTools(id);
  const approve = useChange("svc_approve_tools");
  const mayApprove = useMay("svc_approve_tools");
  // By fingerprint: what the page shows, not what the upstream shows by now.
  const approveAll = (tools: readonly UpstreamTool[]) =>
    approve.mutate(
      { upstream_id: id, fingerprints: tools.flatMap(({ changed_fingerprint: hash }) => hash ?? []) },
      {
        onSuccess: () =>
          notifyDone(tools.length === 1 ? `${tools[0]?.name} is approved.` : `${tools.length} tools are approved.`),
        onError: () => void refetch(),
      },
    );
  const changed = (data?.tools ?? []).filter(({ changed_definition }) => changed_definition !== null);
  if (state.changed_tools.length === 0) return null;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>Changed since they were approved</Title>
        {mayApprove && changed.length > 1 && (
          <Button variant="default" loading={approve.isPending} onClick={() => approveAll(changed)}>
            Approve these {changed.length}
          </Button>
        )}
      </Group>
      {changed.map((tool) => (
        <ChangedTool key={tool.name} tool={tool} {...(mayApprove && { onApprove: () => approveAll([tool]) })} />
      ))}
      <ErrorAlert error={approve.error} />
    </Stack>
  );
}

function ChangedTool({ tool, onApprove }: { readonly tool: UpstreamTool; readonly onApprove?: () => void }) {
  const { name, definition, changed_definition, approved_at } = tool;
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Group gap="xs">
          <Text size="xs" c="dimmed" component="div">
            approved <Time at={approved_at} />
          </Text>
          {onApprove !== undefined && (
            <Button variant="default" onClick={onApprove} aria-label={`Approve ${name}`}>
              Approve
            </Button>
          )}
        </Group>
      </Group>
      <DiffView
        label={`What has changed in ${name}`}
        before={JSON.stringify(definition, null, 2)}
        after={JSON.stringify(changed_definition, null, 2)}
      />
    </Stack>
  );
}
