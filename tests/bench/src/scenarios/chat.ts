import { chatCall } from "../call.ts";
import { addedTimeGoal, cpuGoal } from "../goals.ts";
import { measure, type Measurement, type Stage } from "../measure.ts";
import type { Goal } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { callTable, latencyMs } from "../stage-table.ts";
import { otherBuild } from "../systems/gatehouse.ts";

const saturated: Stage = { name: "chat: closed loop, 64 connections", call: chatCall, connections: 64, unit: "call" };
const steady: Stage = {
  name: "chat: open loop, 500 calls/s",
  call: chatCall,
  connections: 64,
  rate: 500,
  unit: "call",
};
const saturatedCpuRatioMax = 2;
const steadyCpuRatioMax = 1.8;
const addedP99MsMax = 1.5;
/** Variation of two equal builds between runs. */
const otherBuildRatioMax = 1.1;

/** The plain chat call with authentication and no policy, in both regimes. */
export const chat: Scenario = {
  name: "chat",
  summary: "a non-streaming chat call with authentication and no policy, at saturation and at 500 calls a second",
  async run(bench) {
    const measurement = await measure(bench, { subjects: bench.subjects, stages: [saturated, steady] });
    return {
      tables: [saturated, steady].map((stage) => callTable(measurement, stage)),
      goals: [...goalsOf(measurement), ...goalsAgainst(measurement)],
      failures: measurement.failures,
      raw: measurement.cells,
    };
  },
};

/** With `--against`: the product must not cost more than the other build. */
function goalsAgainst(measurement: Measurement): Goal[] {
  if (!measurement.cells.some(({ subject }) => subject === otherBuild)) return [];
  const at = { subject: "gatehouse", baseline: otherBuild };
  const bound = { per: "chat call against the other build", atMost: otherBuildRatioMax, withDatabase: true };
  return [saturated, steady].map((stage) => cpuGoal(measurement, { ...at, stage }, bound));
}

function goalsOf(measurement: Measurement): Goal[] {
  const per = "chat call against the bare proxy";
  const at = { subject: "gatehouse", baseline: "bare proxy" };
  const added = { stage: steady, subject: "gatehouse", baseline: "direct", figure: latencyMs("p99") };
  return [
    cpuGoal(measurement, { ...at, stage: saturated }, { per, atMost: saturatedCpuRatioMax, withDatabase: true }),
    cpuGoal(measurement, { ...at, stage: steady }, { per, atMost: steadyCpuRatioMax, withDatabase: true }),
    addedTimeGoal(measurement, "p99 added at 500 calls/s", added, addedP99MsMax),
  ];
}
