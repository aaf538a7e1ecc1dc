import { chatCall } from "../call.ts";
import { type Bound, ratioGoal } from "../goals.ts";
import { measure, type Measurement, type Stage } from "../measure.ts";
import type { Goal } from "../report.ts";
import { nothingMeasured, type Bench, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import { callsPerSecond, callTable, cpuUs, type Figure, latencyMs, processNotes, ratioTo } from "../stage-table.ts";
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
const coHostedName = "co-hosted chat and guardrail";
const coHostedCpuRatioMax = 0.42;

/** Cost of a call with the product in one process and with each service in one, with every policy and with none. */
export const topology: Scenario = {
  name: "topology",
  summary:
    "the same calls to the product in one process and as services (--topology both), with no policy and with all",
  run: async (bench) => (bench.services ? await compare(bench, bench.services) : nothingMeasured),
};

async function compare(bench: Bench, services: Gatehouse): Promise<ScenarioOutcome> {
  const baselines = bench.subjects.filter(({ name }) => !["gatehouse", "services", "co-hosted"].includes(name));
  const subjects = [
    ...baselines,
    ...(bench.gatehouse ? await ofProduct(bench.gatehouse, "standalone") : []),
    ...(await ofProduct(services, "services")),
    ...(bench.coHosted ? await ofProduct(bench.coHosted, coHostedName) : []),
  ];
  const measurement = await measure(bench, { subjects, stages });
  return {
    tables: stages.map((stage) => ({ ...callTable(measurement, stage), notes: processNotes(measurement, stage) })),
    goals: [...goalsOf(measurement), ...(bench.coHosted ? [coHostedGoal(measurement)] : [])],
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

function coHostedGoal(measurement: Measurement): Goal {
  const subject = `${coHostedName}, all policies`;
  const found = ratioTo(measurement, { stage: saturated.name, subject, baseline: comparison, figure: cpuUs });
  return ratioGoal(`CPU per call of ${subject}, against Portkey`, found, { atMost: coHostedCpuRatioMax });
}

function goalsOf(measurement: Measurement): readonly Goal[] {
  const ratio = (stage: Stage, figure: Figure) =>
    ratioTo(measurement, { stage: stage.name, subject: everyPolicy, baseline: comparison, figure });
  const goal = (what: string, found: ReturnType<typeof ratio>, bound: Bound) =>
    ratioGoal(`${what} of services with all policies, against Portkey`, found, bound);
  return [
    goal("CPU per call", ratio(saturated, cpuUs), { atMost: cpuRatioMax }),
    goal("throughput", ratio(saturated, callsPerSecond), { atLeast: throughputRatioMin }),
    goal("p50 at 500 calls/s", ratio(steady, latencyMs("p50")), { atMost: 1 }),
    goal("p99 at 500 calls/s", ratio(steady, latencyMs("p99")), { atMost: 1 }),
  ];
}
