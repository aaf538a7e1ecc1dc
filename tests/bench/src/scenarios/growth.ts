import pg from "pg";
import { chatCall } from "../call.ts";
import { ratioGoal } from "../goals.ts";
import { runLoad, type LoadReport } from "../load.ts";
import { failureOf, type Failure } from "../measure.ts";
import { readUsage, spentNs } from "../process-usage.ts";
import { formatNumber, formatRatio, type Goal, type Table } from "../report.ts";
import { type Bench, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import { median, pairedRatio, roundOrder, type RatioSummary } from "../statistics.ts";
import { type PrivateGatehouse, withPrivateGatehouses } from "../systems/private-gatehouse.ts";
import { createPopulation, populationKinds, type Population, type PopulationKind } from "./population.ts";

const smallest = 10;
const fullSizes: readonly number[] = [smallest, 1_000, 10_000];
/** Small in a quick run, which only checks the scenario. */
const quickSizes: readonly number[] = [smallest, 200];
const connections = 64;
/** Throughput at 10,000 against that at 10. */
const throughputRatioMin = 0.9;

/** One population in one round: every key once, then warm calls. */
interface GrowthCell {
  readonly kind: PopulationKind;
  readonly size: number;
  readonly round: number;
  /** The pass over all keys; in the first round none of them is cached. */
  readonly walk: Spent;
  readonly warm: Spent;
}

interface Spent {
  readonly load: LoadReport;
  readonly cpuUs: number | undefined;
  readonly databaseCpuUs: number | undefined;
}

/** Whether calls cost more with more keys, over all of which they are spread. */
export const growth: Scenario = {
  name: "growth",
  summary: `calls spread over ${fullSizes.join(", ")} tokens, endpoints and projects, cold and warm`,
  run: async (bench) =>
    await withPrivateGatehouses(bench, { growth: {} }, async ({ growth: own }) => await measureGrowth(bench, own)),
};

async function measureGrowth(bench: Bench, own: PrivateGatehouse): Promise<ScenarioOutcome> {
  const sizes = bench.options.quick ? quickSizes : fullSizes;
  const populations = await createPopulations(own, sizes);
  const cells: GrowthCell[] = [];
  const failures: Failure[] = [];
  const [first] = populations;
  // Warm-up, which the first population would otherwise pay for.
  if (first) await load({ bench, own, population: first }, { seconds: bench.options.firstWarmUpSeconds });
  for (let round = 0; round < bench.options.rounds && failures.length === 0; round++) {
    for (const population of roundOrder(populations, round)) {
      const { kind, size } = population;
      bench.progress(`round ${round + 1} of ${bench.options.rounds}: growth, ${size} ${kind}`);
      const walk = await load({ bench, own, population }, { requestsMax: size, seconds: 60 });
      const warm = await load({ bench, own, population }, { seconds: bench.options.cellSeconds });
      cells.push({ kind, size, round, walk, warm });
      for (const { load: report } of [walk, warm])
        failures.push(...failureOf(own.gatehouse.subject, `growth: ${size} ${kind}`, report));
    }
  }
  return {
    tables: [growthTable(cells, sizes)],
    goals: populationKinds.map((kind) => goalOf(cells, kind, Math.max(...sizes))),
    failures,
    raw: cells,
  };
}

async function createPopulations({ databaseUrl }: PrivateGatehouse, sizes: readonly number[]): Promise<Population[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const populations: Population[] = [];
    for (const kind of populationKinds)
      for (const size of sizes) populations.push(await createPopulation(client, kind, size));
    await client.query("ANALYZE");
    return populations;
  } finally {
    await client.end();
  }
}

interface Extent {
  readonly seconds: number;
  readonly requestsMax?: number;
}

interface Loaded {
  readonly bench: Bench;
  readonly own: PrivateGatehouse;
  readonly population: Population;
}

async function load({ bench, own, population }: Loaded, extent: Extent): Promise<Spent> {
  const { requests: request, requestBytes } = population;
  const { port } = own.gatehouse.subject;
  const before = readUsage(own.group);
  const report = await runLoad(bench.toolkit, { port, call: chatCall, request, requestBytes, connections, ...extent });
  const after = readUsage(own.group);
  const each = (ns: number | undefined) => ns && ns / 1000 / report.completed;
  return {
    load: report,
    cpuUs: each(before && after && spentNs(before.productCpuNs, after.productCpuNs)),
    databaseCpuUs: each(before && after && spentNs(before.databaseCpuNs, after.databaseCpuNs)),
  };
}

const callsPerSecond = ({ load: report }: Spent) => report.completed / report.seconds;
const wholeCpuUs = ({ cpuUs, databaseCpuUs }: Spent) => cpuUs && cpuUs + (databaseCpuUs ?? 0);

function growthTable(cells: readonly GrowthCell[], sizes: readonly number[]): Table {
  const rows = populationKinds.flatMap((kind) =>
    sizes.map((size) => {
      const own = of(cells, kind, size);
      const [cold] = own;
      const middle = (figure: (spent: Spent) => number | undefined) =>
        formatNumber(median(own.map(({ warm }) => figure(warm)).filter((value) => value !== undefined)));
      return [
        `${size.toLocaleString("en-US")} ${kind}`,
        formatNumber(cold && wholeCpuUs(cold.walk)),
        middle(callsPerSecond),
        size === smallest ? "" : formatRatio(ratioToSmallest(cells, { kind, size, figure: callsPerSecond })),
        middle(({ cpuUs }) => cpuUs),
        middle(({ databaseCpuUs }) => databaseCpuUs),
        size === smallest ? "" : formatRatio(ratioToSmallest(cells, { kind, size, figure: wholeCpuUs })),
        middle(({ load: { latencyUs } }) => latencyUs.p99 / 1000),
      ];
    }),
  );
  return {
    title: `growth: calls spread evenly over all keys, closed loop, ${connections} connections`,
    columns: [
      "keys",
      "first call µs",
      "warm calls/s",
      `× ${smallest}`,
      "CPU µs/call",
      "database",
      `CPU × ${smallest}`,
      "p99 ms",
    ],
    rows,
    notes: [
      "`first call` is CPU, Postgres included, of the walk in which each key is used for the first time.",
      "What is known of a key is read again every few seconds while it is used; warm calls pay for that.",
    ],
  };
}

function goalOf(cells: readonly GrowthCell[], kind: PopulationKind, size: number): Goal {
  const ratio = ratioToSmallest(cells, { kind, size, figure: callsPerSecond });
  const name = `throughput with ${size.toLocaleString("en-US")} ${kind} against ${smallest}`;
  return ratioGoal(name, ratio, { atLeast: throughputRatioMin });
}

interface Ratio {
  readonly kind: PopulationKind;
  readonly size: number;
  readonly figure: (spent: Spent) => number | undefined;
}

function ratioToSmallest(cells: readonly GrowthCell[], { kind, size, figure }: Ratio): RatioSummary | undefined {
  const warm = (count: number) => of(cells, kind, count).map((cell) => figure(cell.warm));
  return pairedRatio(warm(size), warm(smallest));
}

function of(cells: readonly GrowthCell[], kind: PopulationKind, size: number): GrowthCell[] {
  return cells.filter((cell) => cell.kind === kind && cell.size === size).toSorted((a, b) => a.round - b.round);
}
