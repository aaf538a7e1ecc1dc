import { Group, Stack, Text } from "@mantine/core";
import type { RequestEntry } from "../api/types.ts";
import { formatDuration } from "./format.ts";
import { Status } from "./status.tsx";
import { stepLabels, trailOf, type TrailStep } from "./trail.ts";

/** A call's steps on a time axis; consecutive quick ones share a line. */
export function TrailView({ entry }: { readonly entry: RequestEntry }) {
  const steps = trailOf(entry);
  const whole = Math.max(1, entry.duration_ms);
  if (steps.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No step of this request is in the log: it was refused before the first, or is of a kind that has none.
      </Text>
    );
  }
  return (
    <Stack gap={6} component="ol" className="console-trail">
      {linesOf(steps).map(({ startMs, steps: [first, ...others] }) =>
        first === undefined ? null : (
          <li key={`${first.kind} ${first.name} ${startMs}`}>
            {isQuick(first) ? (
              <QuickSteps steps={[first, ...others]} />
            ) : (
              <TimedStep step={first} startMs={startMs} wholeMs={whole} />
            )}
          </li>
        ),
      )}
    </Stack>
  );
}

interface Line {
  readonly startMs: number;
  /** One step, or several quick ones. */
  readonly steps: readonly TrailStep[];
}

/** Under 1 ms, too short for a bar; the end of a call always has a line. */
function isQuick({ durationMs, kind }: TrailStep): boolean {
  return durationMs === 0 && kind === "step";
}

function linesOf(steps: readonly TrailStep[]): readonly Line[] {
  const lines: Line[] = [];
  let startMs = 0;
  for (const step of steps) {
    const last = lines.at(-1);
    const joins = isQuick(step) && last !== undefined && last.steps.every(isQuick);
    if (joins) lines[lines.length - 1] = { ...last, steps: [...last.steps, step] };
    else lines.push({ startMs, steps: [step] });
    startMs += step.durationMs;
  }
  return lines;
}

function QuickSteps({ steps }: { readonly steps: readonly TrailStep[] }) {
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
      <Text size="sm" c="dimmed">
        {steps.map(({ name }, index) => (
          <span key={name} data-step={name}>
            {index > 0 && " · "}
            {stepLabels.get(name) ?? name}
          </span>
        ))}
      </Text>
      <Text size="sm" c="dimmed" className="console-number">
        {steps.length === 1 ? "under 1 ms" : "under 1 ms each"}
      </Text>
    </Group>
  );
}

interface TimedStepProps {
  readonly step: TrailStep;
  readonly startMs: number;
  readonly wholeMs: number;
}

function TimedStep({ step, startMs, wholeMs }: TimedStepProps) {
  const { name, kind, durationMs } = step;
  return (
    <>
      <Group justify="space-between" gap="xs" wrap="nowrap" data-step={kind === "attempt" ? undefined : name}>
        <StepName step={step} />
        <Text size="sm" className="console-number">
          {durationMs === 0 ? "under 1 ms" : formatDuration(durationMs)}
        </Text>
      </Group>
      <svg className="console-trail-bar" viewBox={`0 0 ${wholeMs} 1`} preserveAspectRatio="none" aria-hidden>
        <rect x={0} y={0} width={wholeMs} height={1} className="console-trail-whole" />
        <rect
          x={Math.min(startMs, wholeMs)}
          y={0}
          width={Math.max(durationMs, wholeMs / 200)}
          height={1}
          data-look={looks[kind]}
          className="console-chart-bar"
        />
      </svg>
    </>
  );
}

const looks = { step: "main", attempt: "bad", refusal: "bad", reply: "third" } as const;

function StepName({ step: { name, kind } }: { readonly step: TrailStep }) {
  if (kind === "attempt") return <Status kind="bad">{`Attempt failed, ${name}`}</Status>;
  const label = name === "reply" ? "Sending the reply" : (stepLabels.get(name) ?? name);
  if (kind === "refusal") return <Status kind="bad">{`Refused: ${label}`}</Status>;
  return <Text size="sm">{label}</Text>;
}
