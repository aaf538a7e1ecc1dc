import { chatCall } from "../call.ts";
import { measure, type Measurement, type Stage } from "../measure.ts";
import { formatRatio, type Goal } from "../report.ts";
import { nothingMeasured, type Bench, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import { callsPerSecond, callTable, cpuUs, latencyMs, processNotes, ratioTo } from "../stage-table.ts";
import type { Subject } from "../subject.ts";
import type { Gatehouse } from "../systems/gatehouse.ts";
import { createPolicySubject } from "../systems/policy-subject.ts";

const saturated: Stage = {
  name: "topology: closed loop, 64 connections",
  call: chatCall,
  connections: 64,
  unit: "call",
};
const steady: Stage = { ...saturated, name: "topology: open loop, 500 calls/s", rate: 500 };
const stages = [saturated, steady];

const everyPolicy = "services, all policies";
const comparison = "portkey";
const cpuRatioMax = 0.5;
const throughputRatioMin = 2.5;

/** Cost of a call with the product in one process and with each service in one, with every policy and with none. */
export const topology: Scenario = {
  name: "topology",
  summary:
    "the same calls to the product in one process and as services (--topology both), with no policy and with all",
  run: async (bench) => (bench.services ? await compare(bench, bench.services) : nothingMeasured),
};

async function compare(bench: Bench, services: Gatehouse): Promise<ScenarioOutcome> {
  const yardsticks = bench.subjects.filter(({ name }) => name !== "gatehouse" && name !== "services");
  const subjects = [
    ...yardsticks,
    ...(bench.gatehouse ? await ofProduct(bench.gatehouse, "standalone") : []),
    ...(await ofProduct(services, "services")),
  ];
  const measurement = await measure(bench, { subjects, stages });
  return {
    tables: stages.map((stage) => ({ ...callTable(measurement, stage), notes: processNotes(measurement, stage) })),
    goals: goalsOf(measurement),
    failures: measurement.failures,
    raw: measurement.cells,
  };
}

async function ofProduct(product: Gatehouse, name: string): Promise<readonly Subject[]> {
  const guardrails = {
    max_content_length: 100_000,
    keywords: ["forbidden phrase"],
    pii: { mode: "block" },
    prompt_injection: { mode: "block" },
  };
  return [
    await product.createSubject({ name: `${name}, no policy` }),
    await createPolicySubject(product, { name: `${name}, all policies`, guardrails }),
  ];
}

function goalsOf(measurement: Measurement): readonly Goal[] {
  const ratio = (stage: Stage, figure: Parameters<typeof ratioTo>[1]["figure"]) =>
    ratioTo(measurement, { stage: stage.name, subject: everyPolicy, yardstick: comparison, figure });
  const cpu = ratio(saturated, cpuUs);
  const throughput = ratio(saturated, callsPerSecond);
  const atMost = (name: string, max: number, found: typeof cpu): Goal => ({
    name,
    limit: `≤ ${max} ×`,
    measured: formatRatio(found),
    reached: found && found.median <= max,
    unsure: found?.unsure ?? false,
  });
  return [
    atMost("CPU per call of services with all policies, against Portkey", cpuRatioMax, cpu),
    {
      name: "Throughput of services with all policies, against Portkey",
      limit: `≥ ${throughputRatioMin} ×`,
      measured: formatRatio(throughput),
      reached: throughput && throughput.median >= throughputRatioMin,
      unsure: throughput?.unsure ?? false,
    },
    atMost("p50 of services with all policies at 500 calls/s, against Portkey", 1, ratio(steady, latencyMs("p50"))),
    atMost("p99 of services with all policies at 500 calls/s, against Portkey", 1, ratio(steady, latencyMs("p99"))),
  ];
}
