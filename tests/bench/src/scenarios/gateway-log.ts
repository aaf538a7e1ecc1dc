import { chatCall } from "../call.ts";
import type { Stage } from "../measure.ts";
import type { Scenario } from "../scenario.ts";
import { withPrivateGatehouses } from "../systems/private-gatehouse.ts";
import { compareProducts } from "./compare-cpu.ts";

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

const notes = [
  "What one entry takes, and how many a second Postgres stores: node --conditions=@gatehouse/source services/logbook/test/measure/main.ts",
];

/** One call to two products of one build, one with and one without the gateway log. */
export const gatewayLog: Scenario = {
  name: "gateway-log",
  summary: "an entry of the gateway log for each call, stored in Postgres by the same process, against none",
  async run(bench) {
    const products = { [off]: { GATEWAY_LOG: "off" }, [on]: { GATEWAY_LOG: "on" } };
    return await withPrivateGatehouses(bench, products, async (started) => {
      return await compareProducts(bench, started, {
        stages: [saturated, steady],
        limit,
        subject: on,
        baseline: off,
        notes,
      });
    });
  },
};
