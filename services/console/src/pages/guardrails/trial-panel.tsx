import { Paper, Stack, Text, Title } from "@mantine/core";
import type { Arguments } from "../../api/control-plane.ts";
import { useMay, useRead } from "../../api/use-control-plane.ts";
import { Facts } from "../../parts/facts.tsx";
import { formatCount, formatShare } from "../../parts/format.ts";
import { Time } from "../../parts/time.tsx";

const everyMs = 30_000;

/** Verdicts of a policy on trial about recent calls; nothing without one. */
export function TrialPanel({ subject }: { readonly subject: Arguments }) {
  const enabled = useMay("svc_get_guardrail_comparison");
  const { data } = useRead("svc_get_guardrail_comparison", subject, { enabled, refetchIntervalMs: everyMs });
  if (data?.is_on_trial !== true) return null;
  const { calls = 0, skipped = 0 } = data;
  const share = (count = 0) =>
    calls === 0 ? formatCount(count) : `${formatCount(count)} (${formatShare(count / calls)})`;
  return (
    <Paper className="console-panel" p="md" component="section" aria-label="Policy on trial">
      <Stack gap="xs">
        <Title order={2}>Policy on trial</Title>
        <Text size="sm" c="dimmed">
          Calls judged by both policies, and where the results differ.
        </Text>
        <Facts
          facts={[
            ["Calls judged", formatCount(calls)],
            ["Only the trial policy blocks", share(data.newly_blocked)],
            ["Only the current policy blocks", share(data.no_longer_blocked)],
            ["Only the trial policy masks", share(data.newly_masked)],
            ["Only the current policy masks", share(data.no_longer_masked)],
            ["Calls not compared", formatCount(skipped)],
            ["Last one", <Time key="last" at={data.last_at ?? null} />],
          ]}
        />
      </Stack>
    </Paper>
  );
}
