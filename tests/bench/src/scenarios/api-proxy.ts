import { join } from "node:path";
import { chatCall } from "../call.ts";
import { startListener } from "../child-process.ts";
import { cpuGoal, ratioGoal } from "../goals.ts";
import { measure, type Stage } from "../measure.ts";
import { watchMemory } from "../memory.ts";
import { packageFolder } from "../paths.ts";
import { absent, formatNumber, type Goal, type Table } from "../report.ts";
import { type Bench, nothingMeasured, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import { callTable } from "../stage-table.ts";
import { pairedRatio, roundOrder, summarize } from "../statistics.ts";
import { startBareProxy } from "../systems/bare-proxy.ts";
import { type Gatehouse, otherBuild } from "../systems/gatehouse.ts";
import { createProxyEndpoint, createProxySubject } from "../systems/proxy-endpoint.ts";
import { transfer, type TransferPlan } from "../transfer.ts";

const saturated: Stage = {
  name: "api-proxy: closed loop, 64 connections",
  call: chatCall,
  connections: 64,
  unit: "call",
};
const steady: Stage = { ...saturated, name: "api-proxy: open loop, 500 calls/s", rate: 500 };
const limit = { per: "request through API Gateway against the bare proxy", atMost: 1.5, withDatabase: false };
const otherBuildLimit = { per: "request through API Gateway against the other build", atMost: 1.1, withDatabase: true };
const throughputRatioMin = 0.7;
const memoryGrowthMibMax = 64;
const mebibyte = 2 ** 20;

/** API Gateway: one request through the product's proxy and the bare one, and bodies of hundreds of megabytes. */
export const apiProxy: Scenario = {
  name: "api-proxy",
  summary: "a small request and large bodies through an API Gateway endpoint, against the bare Node proxy",
  run: async (bench) => (bench.gatehouse ? await compare(bench, bench.gatehouse) : nothingMeasured),
};

async function compare(bench: Bench, gatehouse: Gatehouse): Promise<ScenarioOutcome> {
  const { origin } = bench.provider;
  const own = await createProxySubject(gatehouse, origin, "gatehouse API Gateway");
  const others = bench.other === undefined ? [] : [await createProxySubject(bench.other, origin, otherBuild)];
  const baselines = bench.subjects.filter(({ name }) => name === "direct" || name === "bare proxy");
  const measurement = await measure(bench, { subjects: [...baselines, own, ...others], stages: [saturated, steady] });
  const bodies = await measureBodies(bench, gatehouse);
  return {
    tables: [...[saturated, steady].map((stage) => callTable(measurement, stage)), bodyTable(bodies)],
    goals: [
      cpuGoal(measurement, { stage: saturated, subject: own.name, baseline: "bare proxy" }, limit),
      ...others.map(({ name }) =>
        cpuGoal(measurement, { stage: saturated, subject: own.name, baseline: name }, otherBuildLimit),
      ),
      ...bodyGoals(bodies),
    ],
    failures: measurement.failures,
    raw: { cells: measurement.cells, bodies },
  };
}

/** Bodies that went through one system, round by round. */
interface Bodies {
  readonly system: "bare proxy" | "gatehouse API Gateway";
  readonly direction: "down" | "up";
  readonly mebibytes: number;
  readonly mibPerSecond: number[];
  readonly cpuMsPer100Mib: (number | undefined)[];
  memoryGrowthMib: number;
}

async function measureBodies(bench: Bench, gatehouse: Gatehouse): Promise<readonly Bodies[]> {
  const upstream = await startListener([process.execPath, join(packageFolder, "src", "byte-server.ts")]);
  const origin = `http://127.0.0.1:${upstream.port}`;
  const bare = await startBareProxy(origin);
  try {
    const mebibytes = bench.options.quick ? 32 : 256;
    const size = mebibytes * mebibyte;
    const { path, authorization } = await createProxyEndpoint(gatehouse, origin);
    const { port, group } = gatehouse.subject;
    if (group === undefined || bare.subject.group === undefined) return [];
    const common = ["host: a", "connection: close", `authorization: ${authorization}`];
    const head = (lines: readonly string[]) => `${[...lines, ...common].join("\r\n")}\r\n\r\n`;
    const get = (prefix: string) => head([`GET ${prefix}/${size} HTTP/1.1`]);
    const post = head([`POST ${path} HTTP/1.1`, `content-length: ${size}`]);
    const down = { uploadBytes: 0, downloadBytes: size };
    const plans: (readonly [Bodies, TransferPlan])[] = [
      [
        newBodies("bare proxy", "down", mebibytes),
        { ...down, ...bare.subject, group: bare.subject.group, head: get("") },
      ],
      [newBodies("gatehouse API Gateway", "down", mebibytes), { ...down, port, group, head: get(path) }],
      // The bare proxy buffers requests, and so is no baseline for uploads.
      [
        newBodies("gatehouse API Gateway", "up", mebibytes),
        { port, group, head: post, uploadBytes: size, downloadBytes: 1 },
      ],
    ];
    // The first transfer is a warm-up and not counted.
    for (const [, plan] of plans) await transfer(plan);
    for (let round = 0; round < bench.options.rounds; round++) {
      for (const [bodies, plan] of roundOrder(plans, round)) {
        bench.progress(`${mebibytes} MiB ${bodies.direction}: ${bodies.system}`);
        await measureBody(bodies, plan);
      }
    }
    return plans.map(([bodies]) => bodies);
  } finally {
    await bare.stop();
    await upstream.stop();
  }
}

function newBodies(system: Bodies["system"], direction: Bodies["direction"], mebibytes: number): Bodies {
  return { system, direction, mebibytes, mibPerSecond: [], cpuMsPer100Mib: [], memoryGrowthMib: 0 };
}

async function measureBody(bodies: Bodies, plan: TransferPlan): Promise<void> {
  const growth = await watchMemory(plan.group, async () => {
    const { seconds, cpuMs } = await transfer(plan);
    bodies.mibPerSecond.push(bodies.mebibytes / seconds);
    bodies.cpuMsPer100Mib.push(cpuMs && (cpuMs / bodies.mebibytes) * 100);
  });
  const grown = growth === undefined ? 0 : (growth.peakBytes - growth.beforeBytes) / mebibyte;
  bodies.memoryGrowthMib = Math.max(bodies.memoryGrowthMib, grown);
}

function bodyTable(all: readonly Bodies[]): Table {
  const middle = (values: readonly (number | undefined)[]) =>
    formatNumber(summarize(values.filter((value) => value !== undefined))?.median);
  return {
    title: `api-proxy: bodies of ${all[0]?.mebibytes ?? absent} MiB, one at a time`,
    columns: ["system", "direction", "MiB/s", "CPU ms/100 MiB", "memory at most +MiB"],
    rows: all.map(({ system, direction, mibPerSecond, cpuMsPer100Mib, memoryGrowthMib }) => [
      system,
      direction,
      middle(mibPerSecond),
      middle(cpuMsPer100Mib),
      formatNumber(memoryGrowthMib),
    ]),
  };
}

function bodyGoals(all: readonly Bodies[]): readonly Goal[] {
  const [bare, down] = all;
  const own = all.filter(({ system }) => system !== "bare proxy");
  const ratio = bare && down && pairedRatio(down.mibPerSecond, bare.mibPerSecond);
  const growth = Math.max(0, ...own.map(({ memoryGrowthMib }) => memoryGrowthMib));
  return [
    ratioGoal("throughput of a large reply, against the bare proxy", ratio, { atLeast: throughputRatioMin }),
    {
      name: "memory that a large body needs, up or down",
      limit: `≤ ${memoryGrowthMibMax} MiB`,
      measured: own.length === 0 ? absent : `${formatNumber(growth)} MiB`,
      reached: own.length === 0 ? undefined : growth <= memoryGrowthMibMax,
    },
  ];
}
