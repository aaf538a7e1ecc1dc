import { Group, Stack, Text } from "@mantine/core";
import type { RequestEntry } from "../api/types.ts";
import { formatDuration } from "./format.ts";
import { Status } from "./status.tsx";
import { trailOf, type TrailStep } from "./trail.ts";

const labels: Readonly<Record<string, string>> = {
  body: "Body read and checked",
  endpoint: "Endpoint found",
  rate_limit: "Rate limit",
  parameters: "Parameters",
  content: "Content",
  session: "Session",
  budget: "Budget",
  token_cap: "Token cap",
  guardrails: "Guardrails",
  input_schema: "Input schema",
  prompt: "Prompt",
  provider: "Provider, until it answered",
  output_guardrails: "Output guardrails",
  output_schema: "Output schema",
  reply: "Reply on its way",
};

/** A call's steps one under the other, each where its time lies in the whole. Steps below 1 ms are not in it. */
export function TrailView({ entry }: { readonly entry: RequestEntry }) {
  const steps = trailOf(entry);
  const whole = Math.max(1, entry.duration_ms);
  if (steps.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No step of this request took a millisecond.
      </Text>
    );
  }
  const starts = steps.map((_, index) => steps.slice(0, index).reduce((sum, { durationMs }) => sum + durationMs, 0));
  return (
    <Stack gap={6} component="ol" className="console-trail">
      {steps.map((step, index) => (
        <li key={`${step.kind} ${step.name} ${starts[index]}`}>
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <StepName step={step} />
            <Text size="sm" className="console-number">
              {step.durationMs === 0 ? "under 1 ms" : formatDuration(step.durationMs)}
            </Text>
          </Group>
          <svg className="console-trail-bar" viewBox={`0 0 ${whole} 1`} preserveAspectRatio="none" aria-hidden>
            <rect x={0} y={0} width={whole} height={1} className="console-trail-whole" />
            <rect
              x={Math.min(starts[index] ?? 0, whole)}
              y={0}
              width={Math.max(step.durationMs, whole / 200)}
              height={1}
              data-look={looks[step.kind]}
              className="console-chart-bar"
            />
          </svg>
        </li>
      ))}
    </Stack>
  );
}

const looks = { step: "main", attempt: "bad", refusal: "bad", reply: "third" } as const;

function StepName({ step: { name, kind } }: { readonly step: TrailStep }) {
  if (kind === "attempt") return <Status kind="bad">{`Attempt failed, ${name}`}</Status>;
  if (kind === "refusal") return <Status kind="bad">{`Refused: ${labels[name] ?? name}`}</Status>;
  return <Text size="sm">{labels[name] ?? name}</Text>;
}
