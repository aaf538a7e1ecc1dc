import { chatCall } from "../call.ts";
import { addedTimeGoal } from "../goals.ts";
import { measure, type Measurement, type Stage } from "../measure.ts";
import type { Goal } from "../report.ts";
import { nothingMeasured, type Bench, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import { ownTable, latencyMs } from "../stage-table.ts";
import type { Gatehouse } from "../systems/gatehouse.ts";

const saturated: Stage = {
  name: "guardrails: closed loop, 64 connections",
  call: chatCall,
  connections: 64,
  unit: "call",
};
const steady: Stage = { ...saturated, name: "guardrails: open loop, 500 calls/s", rate: 500 };
const addedMsMax = 0.15;
const keywordCount = 1_000;

const off = "no guardrails";
const on = "four guardrails";

/** One call to one process under a policy with all four checks that admits it, and without one. */
export const guardrails: Scenario = {
  name: "guardrails",
  summary: "content length, 1,000 keywords, personal data and prompt injection, against the same call without a policy",
  run: async (bench) => (bench.gatehouse ? await compare(bench, bench.gatehouse) : nothingMeasured),
};

async function compare(bench: Bench, gatehouse: Gatehouse): Promise<ScenarioOutcome> {
  const guarded = await gatehouse.createSubject({
    name: on,
    guardrails: {
      max_content_length: 100_000,
      keywords: Array.from({ length: keywordCount }, (_, index) => `forbidden word ${index}`),
      pii: { mode: "block" },
      prompt_injection: { mode: "block" },
    },
  });
  const subjects = [await gatehouse.createSubject({ name: off }), guarded];
  const measurement = await measure(bench, { subjects, stages: [saturated, steady] });
  return {
    tables: [saturated, steady].map((stage) => ownTable(measurement, stage)),
    goals: [addedGoal(measurement)],
    failures: measurement.failures,
    raw: measurement.cells,
  };
}

function addedGoal(measurement: Measurement): Goal {
  const at = { stage: steady, subject: on, baseline: off, figure: latencyMs("p50") };
  return addedTimeGoal(measurement, "p50 that four guardrails add at 500 calls/s", at, addedMsMax);
}
