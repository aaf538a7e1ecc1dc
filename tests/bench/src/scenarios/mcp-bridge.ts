import { chatCall } from "../call.ts";
import { cpuGoal } from "../goals.ts";
import { measure, type Stage } from "../measure.ts";
import { nothingMeasured, type Bench, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import { ownTable } from "../stage-table.ts";
import type { Gatehouse } from "../systems/gatehouse.ts";

const saturated: Stage = {
  name: "mcp-bridge: closed loop, 64 connections",
  call: chatCall,
  connections: 64,
  unit: "call",
};
const steady: Stage = { ...saturated, name: "mcp-bridge: open loop, 500 calls/s", rate: 500 };
const limit = { per: "tools/call against the chat route", atMost: 1.15, withDatabase: false };

const chatRoute = "chat route";
const toolCall = "tools/call";

/** One call as a tool and on the chat route, in one process. */
export const mcpBridge: Scenario = {
  name: "mcp-bridge",
  summary: "an endpoint called as an MCP tool, against the same endpoint called on its chat route",
  run: async (bench) => (bench.gatehouse ? await compare(bench, bench.gatehouse) : nothingMeasured),
};

async function compare(bench: Bench, gatehouse: Gatehouse): Promise<ScenarioOutcome> {
  const subjects = [
    await gatehouse.createSubject({ name: chatRoute }),
    await gatehouse.createSubject({ name: toolCall, isMcpTool: true }),
  ];
  const measurement = await measure(bench, { subjects, stages: [saturated, steady] });
  return {
    tables: [saturated, steady].map((stage) => ownTable(measurement, stage)),
    goals: [saturated, steady].map((stage) =>
      cpuGoal(measurement, { stage, subject: toolCall, baseline: chatRoute }, limit),
    ),
    failures: measurement.failures,
    raw: measurement.cells,
  };
}
