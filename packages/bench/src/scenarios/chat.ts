import { chatCall } from "../call.ts";
import { measure, type Measurement, type Stage } from "../measure.ts";
import { formatRatio, type Goal } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { callTable, cpuUs, ratioTo, wholeCpuUs } from "../stage-table.ts";

const saturated: Stage = { name: "chat: closed loop, 64 connections", call: chatCall, connections: 64, unit: "call" };
const steady: Stage = {
  name: "chat: open loop, 500 calls/s",
  call: chatCall,
  connections: 64,
  rate: 500,
  unit: "call",
};
const cpuRatioMax = 2.5;

/** The plain chat call with authentication and no policy, in both regimes. */
export const chat: Scenario = {
  name: "chat",
  summary: "a non-streaming chat call with authentication and no policy, at saturation and at 500 calls a second",
  async run(bench) {
    const measurement = await measure(bench, { subjects: bench.subjects, stages: [saturated, steady] });
    return {
      tables: [saturated, steady].map((stage) => callTable(measurement, stage)),
      goals: [cpuGoal(measurement)],
      failures: measurement.failures,
      raw: measurement.cells,
    };
  },
};

function cpuGoal(measurement: Measurement): Goal {
  const at = { stage: saturated.name, subject: "gatehouse", yardstick: "bare proxy" };
  const own = ratioTo(measurement, { ...at, figure: cpuUs });
  const whole = ratioTo(measurement, { ...at, figure: wholeCpuUs });
  return {
    name: "CPU per chat call at saturation, against the bare proxy",
    limit: `≤ ${cpuRatioMax} ×`,
    measured: `${formatRatio(own)}; with its database ${formatRatio(whole)}`,
    reached: own && own.median <= cpuRatioMax,
    unsure: own?.unsure ?? false,
  };
}
