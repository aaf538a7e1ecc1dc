import { Paper, Stack, Text, Title } from "@mantine/core";
import { useLimitUse } from "../../api/limit-use.ts";
import type { Project } from "../../api/types.ts";
import { useMay } from "../../api/use-control-plane.ts";
import { formatCount } from "../../parts/format.ts";
import { Meter } from "../../parts/meter.tsx";
import { useNow } from "../../parts/use-now.ts";

/**
 * A project's rate limits as meters of the present minute and hour. Shown before the numbers have loaded, so that nothing below
 * them jumps.
 */
export function Limits({ project }: { readonly project: Project }) {
  const { uuid, rate_limit_per_minute: perMinute, rate_limit_per_hour: perHour } = project;
  const isLimited = perMinute !== null || perHour !== null;
  const use = useLimitUse(uuid, useNow(), isLimited);
  const mayCount = useMay("svc_query_metrics");
  if (!isLimited || !mayCount) return null;
  return (
    <Stack gap="xs">
      <Title order={2}>Current usage</Title>
      <Paper className="console-panel" p="md">
        <Stack gap="md">
          {perMinute !== null && <RateMeter label="This minute" used={use?.project.minute} limit={perMinute} />}
          {perHour !== null && <RateMeter label="This hour" used={use?.project.hour} limit={perHour} />}
          <Text size="xs" c="dimmed">
            From the log, one or two seconds behind. Windows start on the UTC minute and hour.
          </Text>
        </Stack>
      </Paper>
    </Stack>
  );
}

interface RateMeterProps {
  readonly label: string;
  /** Undefined: unknown yet. */
  readonly used: number | undefined;
  readonly limit: number;
}

function RateMeter({ label, used, limit }: RateMeterProps) {
  const text = `${used === undefined ? "…" : formatCount(used)} of ${formatCount(limit)} requests`;
  return <Meter label={label} share={limit === 0 ? 1 : (used ?? 0) / limit} text={text} />;
}
