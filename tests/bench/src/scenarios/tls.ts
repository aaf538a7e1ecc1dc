import { chatCall } from "../call.ts";
import { measure, type Measurement, type Stage } from "../measure.ts";
import { formatRatio } from "../report.ts";
import { nothingMeasured, type Bench, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import { cpuUs, ownTable, processNotes, ratioTo } from "../stage-table.ts";
import { type Gatehouse, startGatehouse } from "../systems/gatehouse.ts";

const saturated: Stage = { name: "tls: closed loop, 64 connections", call: chatCall, connections: 64, unit: "call" };
const steady: Stage = { ...saturated, name: "tls: open loop, 300 calls/s", rate: 300 };
const stages = [saturated, steady];

const plain = "services, plain";
const encrypted = "services, mutual TLS";

/** Calls to two sets of services of one build, one with encrypted connections between its processes. */
export const tls: Scenario = {
  name: "tls",
  summary: "services with certificates against services without: CPU a call of every process",
  async run(bench) {
    // Sets of nine processes, which not every full run needs.
    const { topology, scenarios } = bench.options;
    if (topology === "standalone" && !scenarios.includes("tls")) return nothingMeasured;
    const started: Gatehouse[] = [];
    try {
      for (const [name, setting] of [
        ["tls-off", "off"],
        ["tls-on", "on"],
      ] as const) {
        bench.progress(`tls: starting services, ${name}`);
        const { provider, logFolder } = bench;
        const at = { providerOrigin: provider.origin, logFolder, logName: name, fromSource: false, profile: false };
        const gatehouse = await startGatehouse({ ...at, topology: "services", env: { SERVICES_TLS: setting } });
        if (!gatehouse) return nothingMeasured;
        started.push(gatehouse);
      }
      return await compare(bench, started);
    } finally {
      for (const gatehouse of started) await gatehouse.stop();
    }
  },
};

async function compare(bench: Bench, started: readonly Gatehouse[]): Promise<ScenarioOutcome> {
  const subjects = await Promise.all(
    started.map(async (gatehouse, at) => await gatehouse.createSubject({ name: at === 0 ? plain : encrypted })),
  );
  const measurement = await measure(bench, { subjects, stages });
  return {
    tables: stages.map((stage) => ({ ...ownTable(measurement, stage), notes: notesOf(measurement, stage) })),
    goals: [],
    failures: measurement.failures,
    raw: measurement.cells,
  };
}

function notesOf(measurement: Measurement, stage: Stage): readonly string[] {
  const ratio = ratioTo(measurement, { stage: stage.name, subject: encrypted, baseline: plain, figure: cpuUs });
  return [`CPU a call, encrypted against plain: ${formatRatio(ratio)}`, ...processNotes(measurement, stage)];
}
