import { Alert, Button, Code, Group, Stack, Text, Title } from "@mantine/core";
import type { NamedReason, Upstream, UpstreamCheck } from "../../api/types.ts";
import { useChange, useMay } from "../../api/use-control-plane.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { Facts } from "../../parts/facts.tsx";
import { formatDuration } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { LiveResult } from "../../parts/live-result.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { SidePanel } from "../../parts/side-panel.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { ChangedTools } from "./changed-tools.tsx";
import { UpstreamHealth } from "./upstream-health.tsx";
import { UpstreamTools } from "./upstream-tools.tsx";

interface UpstreamDrawerProps {
  readonly upstream: Upstream;
  readonly onClose: () => void;
}

/** One upstream: its state, its changed tools, and actions. */
export function UpstreamDrawer({ upstream, onClose }: UpstreamDrawerProps) {
  const { prefix, url, state } = upstream;
  return (
    <SidePanel onClose={onClose} title={prefix}>
      <Stack>
        <Facts
          facts={[
            ["Address", url],
            ["Health", <UpstreamHealth key="health" upstream={upstream} />],
            ["Tools", state.tool_count],
            ["Listed", <Time key="listed" at={state.listed_at} />],
          ]}
        />
        {state.last_error !== null && (
          <Alert color="red" icon={<Icon name="warning" />}>
            {state.last_error}
          </Alert>
        )}
        <ChangedTools upstream={upstream} />
        <NamedReasons title="Held back" tools={state.quarantined_tools} />
        <NamedReasons title="Suspicious definitions" tools={state.suspicious_tools} />
        <Actions upstream={upstream} onDeleted={onClose} />
        <UpstreamTools upstream={upstream} />
      </Stack>
    </SidePanel>
  );
}

function NamedReasons({ title, tools }: { readonly title: string; readonly tools: readonly NamedReason[] }) {
  if (tools.length === 0) return null;
  return (
    <Stack gap={4}>
      <Title order={2}>{title}</Title>
      {tools.map(({ name, reason }) => (
        <Text size="sm" key={name}>
          <Code>{name}</Code> {reason}
        </Text>
      ))}
    </Stack>
  );
}

function Actions({
  upstream: { id, prefix },
  onDeleted,
}: {
  readonly upstream: Upstream;
  readonly onDeleted: () => void;
}) {
  const refresh = useChange("svc_refresh_upstream");
  const check = useChange("svc_test_upstream");
  const remove = useChange("svc_delete_upstream");
  const may = {
    refresh: useMay("svc_refresh_upstream"),
    check: useMay("svc_test_upstream"),
    remove: useMay("svc_delete_upstream"),
  };
  const confirmRemoval = async () => {
    await remove.mutateAsync({ upstream_id: id });
    onDeleted();
  };
  return (
    <Stack gap="sm">
      <Group gap="xs">
        {may.refresh && (
          <Button
            variant="default"
            loading={refresh.isPending}
            onClick={() =>
              refresh.mutate({ upstream_id: id }, { onSuccess: () => notifyDone("The tools are listed again.") })
            }
          >
            List tools again
          </Button>
        )}
        {may.check && (
          <Button variant="default" loading={check.isPending} onClick={() => check.mutate({ upstream_id: id })}>
            Test connection
          </Button>
        )}
        {may.remove && (
          <ConfirmButton
            label="Delete"
            done={`The upstream ${prefix} is deleted.`}
            name={prefix}
            consequence={`The tools that begin with ${prefix}__ disappear from the project's MCP route.`}
            onConfirm={confirmRemoval}
          />
        )}
      </Group>
      <ErrorAlert error={refresh.error ?? check.error} />
      <LiveResult>{check.data !== undefined && <CheckSteps check={check.data} />}</LiveResult>
    </Stack>
  );
}

function CheckSteps({ check: { steps } }: { readonly check: UpstreamCheck }) {
  return (
    <Stack gap={4}>
      {steps.map(({ name, succeeded, detail, duration_ms }) => (
        <Group key={name} gap="xs">
          <Status kind={succeeded ? "good" : "bad"}>{name}</Status>
          <Text size="sm">{detail}</Text>
          <Text size="xs" c="dimmed">
            {formatDuration(duration_ms)}
          </Text>
        </Group>
      ))}
    </Stack>
  );
}
