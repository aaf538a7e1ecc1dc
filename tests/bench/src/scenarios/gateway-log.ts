import { chatCall } from "../call.ts";
import { cpuGoal } from "../goals.ts";
import { measure, type Stage } from "../measure.ts";
import { nothingMeasured, type Bench, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import { ownTable } from "../stage-table.ts";
import { startPrivateGatehouse, type PrivateGatehouse } from "../systems/private-gatehouse.ts";

const saturated: Stage = {
  name: "gateway-log: closed loop, 64 connections",
  call: chatCall,
  connections: 64,
  unit: "call",
};
const steady: Stage = { ...saturated, name: "gateway-log: open loop, 500 calls/s", rate: 500 };
const limit = { per: "call with the gateway log against without", atMost: 1.25, withDatabase: false };

const off = "gateway log off";
const on = "gateway log on";

/** The same call to two products of the same build, one of which records what becomes of each. */
export const gatewayLog: Scenario = {
  name: "gateway-log",
  summary: "an entry of the gateway log for each call, stored in Postgres by the same process, against none",
  async run(bench) {
    bench.progress("gateway-log: starting two products of its own");
    const started: PrivateGatehouse[] = [];
    try {
      for (const [name, setting] of [
        ["log-off", "off"],
        ["log-on", "on"],
      ] as const) {
        const own = await startPrivateGatehouse(bench, name, { GATEWAY_LOG: setting });
        if (!own) return nothingMeasured;
        started.push(own);
      }
      return await compare(bench, started);
    } finally {
      for (const own of started) await own.stop();
    }
  },
};

async function compare(bench: Bench, started: readonly PrivateGatehouse[]): Promise<ScenarioOutcome> {
  const subjects = await Promise.all(
    started.map(async ({ gatehouse, group }, at) => {
      const subject = await gatehouse.createSubject({ name: at === 0 ? off : on });
      return { ...subject, group };
    }),
  );
  const measurement = await measure(bench, { subjects, stages: [saturated, steady] });
  const notes = [
    "What one entry takes, and how many a second Postgres stores: node --conditions=@gatehouse/source services/logbook/test/measure/main.ts",
  ];
  return {
    tables: [saturated, steady].map((stage) => ({ ...ownTable(measurement, stage), notes })),
    goals: [saturated, steady].map((stage) => cpuGoal(measurement, { stage, subject: on, yardstick: off }, limit)),
    failures: measurement.failures,
    raw: measurement.cells,
  };
}
