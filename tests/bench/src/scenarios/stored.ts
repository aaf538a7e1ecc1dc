import { ratioGoal } from "../goals.ts";
import { measure, type Failure, type Measurement } from "../measure.ts";
import { formatNumber, formatRatio, type Goal, type Table } from "../report.ts";
import { type Bench, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import { byRound, callsPerSecond, latencyMs, ratioTo, wholeCpuUs } from "../stage-table.ts";
import { summarize } from "../statistics.ts";
import type { Subject } from "../subject.ts";
import { startMcpServers } from "../systems/mcp-server.ts";
import { type PrivateGatehouse, withPrivateGatehouses } from "../systems/private-gatehouse.ts";
import { createStoredKinds, type StoredKind } from "./stored-kinds.ts";

/** Least throughput with much stored data relative to little. */
const throughputRatioMin = 0.9;

/** Calls to two products, with little and much stored data. */
export const stored: Scenario = {
  name: "stored",
  summary: "calls and lists of a product that stores little and of one that stores much, kind by kind",
  async run(bench) {
    return await withPrivateGatehouses(bench, { little: {}, much: {} }, async (products) => {
      return await measureKinds(bench, products);
    });
  },
};

interface Products {
  readonly little: PrivateGatehouse;
  readonly much: PrivateGatehouse;
}

/** One kind as it was measured. */
interface MeasuredKind {
  readonly kind: StoredKind;
  readonly measurement: Measurement;
}

async function measureKinds(bench: Bench, products: Products): Promise<ScenarioOutcome> {
  const servers = await startMcpServers();
  const measured: MeasuredKind[] = [];
  try {
    for (const kind of createStoredKinds(bench, servers)) {
      measured.push({ kind, measurement: await measureKind(bench, kind, products) });
    }
  } finally {
    await servers.stop();
  }
  return {
    tables: [tableOf(measured, bench.options.quick)],
    goals: measured.map((each) => goalOf(each, bench.options.quick)),
    failures: measured.flatMap(({ measurement }): readonly Failure[] => measurement.failures),
    raw: measured.map(({ kind, measurement }) => ({ kind: kind.name, cells: measurement.cells })),
  };
}

async function measureKind(bench: Bench, kind: StoredKind, { little, much }: Products): Promise<Measurement> {
  const subjects = [
    await subjectOf(bench, kind, { own: little, name: "little", count: kind.little }),
    await subjectOf(bench, kind, { own: much, name: "much", count: muchOf(kind, bench.options.quick) }),
  ];
  return await measure(bench, { subjects, stages: [kind.stage] });
}

interface StoredSubject {
  readonly own: PrivateGatehouse;
  readonly name: "little" | "much";
  readonly count: number;
}

async function subjectOf(bench: Bench, kind: StoredKind, { own, name, count }: StoredSubject): Promise<Subject> {
  bench.progress(`stored: ${count.toLocaleString("en-US")} ${kind.name}`);
  const request = await kind.prepare(own, count);
  const { port } = own.gatehouse.subject;
  return { name, port, group: own.group, prepare: async () => await Promise.resolve(request) };
}

/** Less in a quick run, which only checks the scenario. */
function muchOf(kind: StoredKind, isQuick: boolean): number {
  return isQuick ? Math.min(kind.much, kind.little * 2) : kind.much;
}

function tableOf(measured: readonly MeasuredKind[], isQuick: boolean): Table {
  const rows = measured.map(({ kind, measurement }) => {
    const [stage, at] = [kind.stage.name, { subject: "much", baseline: "little" }];
    const p99 = (subject: string) =>
      formatNumber(summarize(byRound(measurement, { subject, stage }, latencyMs("p99")).filter(isMeasured))?.median);
    return [
      kind.name,
      `${kind.little.toLocaleString("en-US")}, ${muchOf(kind, isQuick).toLocaleString("en-US")}`,
      formatRatio(ratioTo(measurement, { ...at, stage, figure: callsPerSecond })),
      formatRatio(ratioTo(measurement, { ...at, stage, figure: wholeCpuUs })),
      `${p99("little")}, ${p99("much")}`,
    ];
  });
  return {
    title: "stored: the same call where little and where much is stored",
    columns: ["stored", "little, much", "throughput ×", "CPU ×, database included", "p99 ms"],
    rows,
  };
}

function isMeasured(value: number | undefined): value is number {
  return value !== undefined;
}

function goalOf({ kind, measurement }: MeasuredKind, isQuick: boolean): Goal {
  const at = { stage: kind.stage.name, subject: "much", baseline: "little" };
  const ratio = ratioTo(measurement, { ...at, figure: callsPerSecond });
  const [much, little] = [muchOf(kind, isQuick), kind.little].map((count) => count.toLocaleString("en-US"));
  return ratioGoal(`throughput with ${much} ${kind.name} against ${little}`, ratio, { atLeast: throughputRatioMin });
}
