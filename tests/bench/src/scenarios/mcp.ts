import { type Call, postRequest } from "../call.ts";
import { textOf } from "../control-plane.ts";
import { addedTimeGoal, ratioGoal } from "../goals.ts";
import { measure, type Measurement, type Stage } from "../measure.ts";
import { formatSummary, type Goal } from "../report.ts";
import { type Bench, nothingMeasured, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import { byRound, callsPerSecond, callTable, latencyMs, ratioTo } from "../stage-table.ts";
import { summarize } from "../statistics.ts";
import type { Subject } from "../subject.ts";
import type { Gatehouse } from "../systems/gatehouse.ts";
import { echoCall, type McpServers, startMcpServers } from "../systems/mcp-server.ts";

const upstreamsMax = 50;
const toolsEach = 40;
const addedMsMax = 0.5;
const throughputRatioMin = 0.75;
const listMsMax = 3;

const echo: Call = { name: "mcp-echo", model: "", stream: false, marker: "Echo: hello", markers: 1, end: "" };
const list: Call = {
  name: "mcp-list",
  model: "",
  stream: false,
  marker: '"inputSchema":',
  markers: upstreamsMax * toolsEach,
  end: "",
};

const single: Stage = { name: "MCP tools/call: 1 connection", call: echo, connections: 1, unit: "call" };
const many: Stage = { name: "MCP tools/call: 16 connections", call: echo, connections: 16, unit: "call" };
const listing: Stage = {
  name: `MCP tools/list: ${upstreamsMax} upstreams with ${toolsEach} tools each, 1 connection`,
  call: list,
  connections: 1,
  unit: "call",
};

/** MCP Gateway mode compared with the same upstream directly, and the union of many upstreams' tools. */
export const mcp: Scenario = {
  name: "mcp",
  summary: "a tool call through the MCP gateway and straight to its upstream, and a warm list of 2,000 tools",
  run: async (bench) => (bench.gatehouse ? await compare(bench, bench.gatehouse) : nothingMeasured),
};

async function compare(bench: Bench, gatehouse: Gatehouse): Promise<ScenarioOutcome> {
  const servers = await startMcpServers();
  try {
    const real = await measureCalls(bench, { gatehouse, servers, path: "/mcp" });
    const bare = await measureCalls(bench, { gatehouse, servers, path: "/bare" });
    const paths = Array.from({ length: upstreamsMax }, (_, index) => `/list/${index}`);
    const subject = await createMcpSubject(gatehouse, servers.origin, { paths, body: listBody });
    const lists = await measure(bench, { subjects: [subject], stages: [listing] });
    return {
      tables: [
        ...tables(real, "a server of the official SDK"),
        ...tables(bare, "a server that costs nothing"),
        callTable(lists, listing),
      ],
      goals: [addedGoal(real), throughputGoal(real), listGoal(lists)],
      failures: [real, bare, lists].flatMap(({ failures }) => failures),
      raw: [real, bare, lists].map(({ cells }) => cells),
    };
  } finally {
    await servers.stop();
  }
}

interface CallPlan {
  readonly gatehouse: Gatehouse;
  readonly servers: McpServers;
  readonly path: string;
}

async function measureCalls(bench: Bench, { gatehouse, servers, path }: CallPlan): Promise<Measurement> {
  const subject = await createMcpSubject(gatehouse, servers.origin, { paths: [path], body: echoCall("u0__echo") });
  return await measure(bench, { subjects: [servers.direct(path), subject], stages: [single, many] });
}

const listBody = { jsonrpc: "2.0", id: 1, method: "tools/list" };

/** Upstreams of a project, and the call of it. */
export interface McpSetup {
  /** Paths of upstreams, in order; their prefixes are `u0`, `u1` and so on. */
  readonly paths: readonly string[];
  readonly body: object;
}

/** A project without limits, with its upstreams at `origin`. */
export async function createMcpSubject(
  { controlPlane, subject }: Gatehouse,
  origin: string,
  { paths, body }: McpSetup,
): Promise<Subject> {
  const unlimited = { rate_limit_per_minute: null, rate_limit_per_hour: null };
  const definition = { name: "Bench: MCP", project_type: "mcp_gateway", ...unlimited };
  const project = textOf(await controlPlane.call("svc_create_project", definition), "uuid");
  const minted = await controlPlane.call("svc_create_token", { project, name: "bench", scopes: ["mcp"] });
  const authorization = `Bearer ${textOf(minted, "token")}`;
  for (const [index, path] of paths.entries()) {
    await controlPlane.call("svc_create_upstream", { project, prefix: `u${index}`, url: `${origin}${path}` });
  }
  const { port, group } = subject;
  const request = postRequest(`/api/${project}/mcp`, body, { authorization });
  return { name: "gatehouse", port, group, prepare: async () => await Promise.resolve(request) };
}

function tables(measurement: Measurement, upstream: string) {
  return [single, many].map((stage) => {
    const table = callTable(measurement, stage);
    return { ...table, title: `${stage.name}, ${upstream}` };
  });
}

function addedGoal(measurement: Measurement): Goal {
  const at = { stage: single, subject: "gatehouse", baseline: "direct", figure: latencyMs("p50") };
  return addedTimeGoal(measurement, "p50 that the MCP gateway adds to a tool call, 1 connection", at, addedMsMax);
}

function throughputGoal(measurement: Measurement): Goal {
  const at = { stage: many.name, subject: "gatehouse", baseline: "direct" };
  const ratio = ratioTo(measurement, { ...at, figure: callsPerSecond });
  const name = "throughput of tool calls at 16 connections, against the upstream itself";
  return ratioGoal(name, ratio, { atLeast: throughputRatioMin });
}

function listGoal(measurement: Measurement): Goal {
  const at = { subject: "gatehouse", stage: listing.name };
  const values = byRound(measurement, at, latencyMs("p50")).filter((value) => value !== undefined);
  const p50 = summarize(values);
  return {
    name: `p50 of a warm list of ${upstreamsMax * toolsEach} tools`,
    limit: `≤ ${listMsMax} ms`,
    measured: `${formatSummary(p50)} ms`,
    reached: p50 && p50.median <= listMsMax,
  };
}
