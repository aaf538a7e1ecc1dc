import { chatCall } from "../call.ts";
import type { Stage } from "../measure.ts";
import { nothingMeasured, type Bench, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import type { Gatehouse } from "../systems/gatehouse.ts";
import { createPolicySubject } from "../systems/policy-subject.ts";
import { compareCpu } from "./compare-cpu.ts";

const saturated: Stage = {
  name: "policies: closed loop, 64 connections",
  call: chatCall,
  connections: 64,
  unit: "call",
};
const steady: Stage = { ...saturated, name: "policies: open loop, 500 calls/s", rate: 500 };
const limit = { per: "call with all policies against none", atMost: 1.2, withDatabase: false };

const off = "all policies off";
const on = "all policies on";

/** One call to one process with every policy and with none. */
export const policiesOn: Scenario = {
  name: "policies-on",
  summary:
    "two rate limits on the project and on the token, a priced monthly budget and an input schema, against the same call without",
  run: async (bench) => (bench.gatehouse ? await compare(bench, bench.gatehouse) : nothingMeasured),
};

async function compare(bench: Bench, gatehouse: Gatehouse): Promise<ScenarioOutcome> {
  const subjects = [await gatehouse.createSubject({ name: off }), await createPolicySubject(gatehouse, { name: on })];
  const notes = [
    "Both write a usage row for each call. `database` is Postgres, which writes usage rows and leases of both while either is measured.",
    "What one decision of the ledger takes: node --conditions=@gatehouse/source services/chat/test/allowances.measure.ts",
  ];
  const comparison = { stages: [saturated, steady], limit, subject: on, baseline: off, notes };
  return await compareCpu(bench, subjects, comparison);
}
