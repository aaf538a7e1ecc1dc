import { createServer } from "node:http";
import { chatCall } from "../call.ts";
import { cpuGoal } from "../goals.ts";
import { measure, type Stage } from "../measure.ts";
import { nothingMeasured, type Bench, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import { ownTable } from "../stage-table.ts";
import { startPrivateGatehouse, type PrivateGatehouse } from "../systems/private-gatehouse.ts";

const saturated: Stage = {
  name: "tracing: closed loop, 64 connections",
  call: chatCall,
  connections: 64,
  unit: "call",
};
const steady: Stage = { ...saturated, name: "tracing: open loop, 500 calls/s", rate: 500 };
const stages = [saturated, steady];
const limit = { per: "call with tracing that samples none against without", atMost: 1.03, withDatabase: false };

const off = "no tracing";
const none = "tracing, none sampled";
const hundredth = "tracing, 1 % sampled";
const subjects = [off, none, hundredth];

/** The same call to products of one build: without tracing, and with tracing that samples no trace or a hundredth of them. */
export const tracing: Scenario = {
  name: "tracing",
  summary: "a call with tracing off the sampled path, against none: what a span costs that is not recorded",
  async run(bench) {
    bench.progress("tracing: starting three products of its own");
    const collector = await startCollector();
    const traced = (ratio: string) => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: ratio,
    });
    const started: PrivateGatehouse[] = [];
    try {
      for (const [name, env] of [
        ["tracing-off", {}],
        ["tracing-none", traced("0")],
        ["tracing-hundredth", traced("0.01")],
      ] as const) {
        const own = await startPrivateGatehouse(bench, name, env);
        if (!own) return nothingMeasured;
        started.push(own);
      }
      return await compare(bench, started);
    } finally {
      for (const own of started) await own.stop();
      collector.stop();
    }
  },
};

async function compare(bench: Bench, started: readonly PrivateGatehouse[]): Promise<ScenarioOutcome> {
  const measured = await Promise.all(
    started.map(async ({ gatehouse, group }, at) => {
      const subject = await gatehouse.createSubject({ name: subjects[at] ?? off });
      return { ...subject, group };
    }),
  );
  const measurement = await measure(bench, { subjects: measured, stages });
  return {
    tables: stages.map((stage) => ownTable(measurement, stage)),
    goals: stages.map((stage) => cpuGoal(measurement, { stage, subject: none, yardstick: off }, limit)),
    failures: measurement.failures,
    raw: measurement.cells,
  };
}

/** Takes what is exported and keeps nothing of it. */
async function startCollector(): Promise<{ readonly url: string; readonly stop: () => void }> {
  const server = createServer((req, res) => {
    req.resume().on("end", () => res.setHeader("content-type", "application/json").end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
