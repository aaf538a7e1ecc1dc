import { Paper, SimpleGrid, Text } from "@mantine/core";
import type { MetricSums } from "../../api/types.ts";
import { formatCount, formatDuration, formatMoney, formatShare } from "../../parts/format.ts";
import { changeText } from "./change-text.ts";

interface Tile {
  readonly label: string;
  /** Undefined where the period has nothing that it could be of. */
  readonly value: (sums: MetricSums) => number | undefined;
  readonly format: (value: number) => string;
  /** Text below the number. */
  readonly more?: (sums: MetricSums) => string;
}

const noRequests: MetricSums = {
  requests: 0,
  errors: 0,
  errors_by_kind: {},
  guardrail_blocks: 0,
  p50_ms: 0,
  p95_ms: 0,
  p99_ms: 0,
  prompt_tokens: 0,
  cached_tokens: 0,
  completion_tokens: 0,
  cost_usd: 0,
};

const tiles: readonly Tile[] = [
  { label: "Requests", value: ({ requests }) => requests, format: formatCount },
  { label: "Errors", value: ({ errors }) => errors, format: formatCount, more: errorShare },
  {
    label: "p95",
    value: ({ requests, p95_ms }) => (requests === 0 ? undefined : p95_ms),
    format: formatDuration,
    more: ({ requests, p50_ms, p99_ms }) =>
      requests === 0 ? "of no requests" : `p50 ${formatDuration(p50_ms)}, p99 ${formatDuration(p99_ms)}`,
  },
  {
    label: "Tokens",
    value: (sums) => sums.prompt_tokens + sums.completion_tokens,
    format: formatCount,
    more: (sums) => `${formatCount(sums.prompt_tokens)} prompt, ${formatCount(sums.completion_tokens)} completion`,
  },
  {
    label: "Cache hits",
    value: ({ prompt_tokens, cached_tokens }) => (prompt_tokens === 0 ? undefined : cached_tokens / prompt_tokens),
    format: formatShare,
    more: ({ cached_tokens }) => `${formatCount(cached_tokens)} prompt tokens from providers' caches`,
  },
  { label: "Cost", value: ({ cost_usd }) => cost_usd, format: formatMoney },
  { label: "Guardrail blocks", value: (sums) => sums.guardrail_blocks, format: formatCount },
];

interface MetricTilesProps {
  /** Absent without requests. */
  readonly total: MetricSums | undefined;
  readonly before: MetricSums | undefined;
}

/** Sums of a span, each with its change from the previous span. */
export function MetricTiles({ total = noRequests, before }: MetricTilesProps) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 4, xl: 7 }}>
      {tiles.map(({ label, value, format, more }) => (
        <Paper key={label} className="console-panel" p="md">
          <Text size="xs" c="dimmed">
            {label}
          </Text>
          <Text fz={22} fw={600}>
            {shownValue(value(total), format)}
          </Text>
          {more !== undefined && (
            <Text size="xs" c="dimmed">
              {more(total)}
            </Text>
          )}
          <Text size="xs" mt={4} {...(before === undefined && { c: "dimmed" })}>
            {changeText(value(total), before && value(before), format)}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  );
}

function errorShare({ requests, errors }: MetricSums): string {
  return requests === 0 ? "of no requests" : `${formatShare(errors / requests)} of requests`;
}

function shownValue(value: number | undefined, format: (value: number) => string): string {
  return value === undefined ? "–" : format(value);
}
