import type { Measurement, Stage } from "./measure.ts";
import { formatNumber, formatRatio, formatSummary, type Goal } from "./report.ts";
import { cpuUs, differenceTo, type Figure, ratioTo, wholeCpuUs } from "./stage-table.ts";
import type { RatioSummary } from "./statistics.ts";

/** Bound of a ratio, and its good side. */
export type Bound = { readonly atMost: number } | { readonly atLeast: number };

/** A comparison of two subjects at one stage. */
export interface Compared {
  readonly stage: Stage;
  readonly subject: string;
  readonly baseline: string;
}

/** A goal for a ratio, which a later run can be compared with (`--check`). */
export function ratioGoal(name: string, ratio: RatioSummary | undefined, bound: Bound): Goal {
  const isLess = "atMost" in bound;
  const limit = isLess ? bound.atMost : bound.atLeast;
  return {
    name,
    limit: `${isLess ? "≤" : "≥"} ${limit} ×`,
    measured: formatRatio(ratio),
    reached: ratio && (isLess ? ratio.median <= limit : ratio.median >= limit),
    unsure: ratio?.unsure ?? false,
    ...(ratio && { ratio: { ...ratio, better: isLess ? "less" : "more" } }),
  };
}

/** Kind of CPU time and the highest ratio. */
export interface CpuLimit {
  /** Completes the words "CPU per …". */
  readonly per: string;
  readonly atMost: number;
  /** Whether the database's CPU counts; the other figure is shown as well. */
  readonly withDatabase: boolean;
}

/** A goal for CPU relative to a baseline at one stage. */
export function cpuGoal(
  measurement: Measurement,
  { stage, subject, baseline }: Compared,
  { per, atMost, withDatabase }: CpuLimit,
): Goal {
  const at = { stage: stage.name, subject, baseline };
  const regime = stage.rate === undefined ? "at saturation" : `at ${stage.rate} ${stage.unit}s/s`;
  const own = ratioTo(measurement, { ...at, figure: cpuUs });
  const whole = ratioTo(measurement, { ...at, figure: wholeCpuUs });
  const goal = ratioGoal(
    `CPU per ${per}, ${withDatabase ? "database included, " : ""}${regime}`,
    withDatabase ? whole : own,
    { atMost },
  );
  const other = withDatabase ? `without the database ${formatRatio(own)}` : `with the database ${formatRatio(whole)}`;
  return { ...goal, measured: `${goal.measured}; ${other}` };
}

/** A goal for the time that the product adds to the baseline's. */
export function addedTimeGoal(
  measurement: Measurement,
  name: string,
  { stage, subject, baseline, figure }: Compared & { readonly figure: Figure },
  atMostMs: number,
): Goal {
  const added = differenceTo(measurement, { stage: stage.name, subject, baseline, figure });
  return {
    name,
    limit: `≤ ${formatNumber(atMostMs)} ms`,
    measured: `${formatSummary(added)} ms`,
    reached: added && added.median <= atMostMs,
  };
}
