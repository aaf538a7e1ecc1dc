import { createServer } from "node:http";
import { chatCall } from "../call.ts";
import type { Stage } from "../measure.ts";
import type { Scenario } from "../scenario.ts";
import { withPrivateGatehouses } from "../systems/private-gatehouse.ts";
import { compareProducts } from "./compare-cpu.ts";

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

/** One call to products of one build: without tracing, and with tracing that samples none or a hundredth of the traces. */
export const tracing: Scenario = {
  name: "tracing",
  summary: "a call with tracing off the sampled path, against none: what a span costs that is not recorded",
  async run(bench) {
    const collector = await startCollector();
    const traced = (ratio: string) => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: ratio,
    });
    const products = { [off]: {}, [none]: traced("0"), [hundredth]: traced("0.01") };
    try {
      return await withPrivateGatehouses(bench, products, async (started) => {
        return await compareProducts(bench, started, { stages, limit, subject: none, baseline: off });
      });
    } finally {
      collector.stop();
    }
  },
};

/** Accepts exports and drops them. */
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
