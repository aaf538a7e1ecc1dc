import { formatNumber, type Table } from "./report.ts";

/** Costs of one call, as they were measured. */
export interface CallCost {
  /** CPU by process, µs. */
  readonly cpuUs: Readonly<Record<string, number>>;
  readonly databaseCpuUs: number;
  /** Rows and bytes that a call leaves in tables and indexes, and bytes that it writes into the database's log. */
  readonly rows: number;
  readonly tableBytes: number;
  readonly walBytes: number;
  /** To Postgres, of one process of each service. */
  readonly connections: number;
}

/** Calls a second that the model is made for. */
const modelledRates = [1_000, 10_000, 50_000] as const;

/** Share of a core that a process uses in the mean, so that a peak has room. */
const coreShare = 0.5;
/** Every service has another process when one ends. */
const processesMin = 2;
const daySeconds = 86_400;
const gigabyte = 1e9;
const megabyte = 1e6;

/** Bounds of one machine or process that the model holds a size to. Assumed, not measured. */
const walls = {
  /** Cores of one Postgres. */
  databaseCores: 16,
  /** Log of one Postgres, MB a second. */
  walMbPerSecond: 200,
  /** New rows and indexes a day, GB. */
  tableGbPerDay: 1_000,
  /** The logbook takes its messages with one process' one core in the manifests. */
  logbookCores: 1,
  /** One broker. */
  brokerCores: 4,
} as const;

const broker = "nats-server";

/** Cores, processes, connections, rows and bytes at each size, and the first bound that it meets. */
export function toModel(cost: CallCost, rates: readonly number[] = modelledRates): Table {
  const rows = rates.map((rate) => {
    const cores = (us: number) => (rate * us) / 1e6;
    const total = Object.values(cost.cpuUs).reduce((sum, us) => sum + us, 0);
    const processes = ["router", "chat", "guardrail"].map((name) => processesOf(cores(cost.cpuUs[name] ?? 0)));
    const serviceCount = Math.max(1, Object.keys(cost.cpuUs).filter((name) => name !== broker).length);
    const extra = processes.reduce((sum, count) => sum + count - 1, 0);
    const connections = Math.round(cost.connections + (extra * cost.connections) / serviceCount);
    return [
      rate.toLocaleString("en-US"),
      formatNumber(cores(total) / coreShare),
      processes.join(" / "),
      formatNumber(cores(cost.databaseCpuUs) / coreShare),
      String(connections),
      `${formatNumber((rate * cost.rows * daySeconds) / 1e6)} M`,
      formatNumber((rate * cost.tableBytes * daySeconds) / gigabyte),
      formatNumber((rate * cost.walBytes) / megabyte),
      firstWall(cost, rate),
    ];
  });
  return {
    title: "capacity: from the costs above, half of each core in use",
    columns: [
      "calls/s",
      "cores, services",
      "router / chat / guardrail",
      "cores, Postgres",
      "connections",
      "rows/day",
      "GB/day",
      "log MB/s",
      "first wall",
    ],
    rows,
  };
}

function processesOf(cores: number): number {
  return Math.max(processesMin, Math.ceil(cores / coreShare));
}

/** The bound that is exceeded most. */
export function firstWall(cost: CallCost, rate: number): string {
  const cores = (us: number) => (rate * us) / 1e6;
  const loads: readonly (readonly [name: string, load: number])[] = [
    [`one Postgres of ${walls.databaseCores} cores`, cores(cost.databaseCpuUs) / coreShare / walls.databaseCores],
    [`${walls.walMbPerSecond} MB/s of database log`, (rate * cost.walBytes) / megabyte / walls.walMbPerSecond],
    [`${walls.tableGbPerDay} GB a day of rows`, (rate * cost.tableBytes * daySeconds) / gigabyte / walls.tableGbPerDay],
    ["one logbook", cores(cost.cpuUs["logbook"] ?? 0) / walls.logbookCores],
    ["one broker", cores(cost.cpuUs[broker] ?? 0) / walls.brokerCores],
  ];
  const [name, load] = loads.toSorted(([, one], [, other]) => other - one)[0] ?? ["", 0];
  return load < 1 ? `none (next: ${name}, ${Math.round(load * 100)} %)` : `${name} (${formatNumber(load)} ×)`;
}
