import { cpuGoal, type CpuLimit } from "../goals.ts";
import { measure, type Stage } from "../measure.ts";
import type { Bench, ScenarioOutcome } from "../scenario.ts";
import { ownTable } from "../stage-table.ts";
import type { Subject } from "../subject.ts";
import type { PrivateGatehouse } from "../systems/private-gatehouse.ts";

/** CPU of one subject against that of another, at each stage. */
interface CpuComparison {
  readonly stages: readonly Stage[];
  readonly limit: CpuLimit;
  /** Names of the two subjects. */
  readonly subject: string;
  readonly baseline: string;
  readonly notes?: readonly string[];
}

/** Measures subjects, and compares the CPU of one with its limit relative to another. */
export async function compareCpu(
  bench: Bench,
  subjects: readonly Subject[],
  { stages, limit, subject, baseline, notes = [] }: CpuComparison,
): Promise<ScenarioOutcome> {
  const measurement = await measure(bench, { subjects, stages });
  return {
    tables: stages.map((stage) => ({ ...ownTable(measurement, stage), notes })),
    goals: stages.map((stage) => cpuGoal(measurement, { stage, subject, baseline }, limit)),
    failures: measurement.failures,
    raw: measurement.cells,
  };
}

/** As {@link compareCpu}, with one project per product as its subject. */
export async function compareProducts(
  bench: Bench,
  started: Readonly<Record<string, PrivateGatehouse>>,
  comparison: CpuComparison,
): Promise<ScenarioOutcome> {
  const subjects = await Promise.all(
    Object.entries(started).map(async ([name, { gatehouse, group }]) => {
      return { ...(await gatehouse.createSubject({ name })), group };
    }),
  );
  return await compareCpu(bench, subjects, comparison);
}
