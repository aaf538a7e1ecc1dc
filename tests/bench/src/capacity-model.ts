import { formatNumber, type Table } from "./report.ts";

/** Measured costs of one call. */
export interface CallCost {
  /** CPU by process, µs. */
  readonly cpuUs: Readonly<Record<string, number>>;
  readonly databaseCpuUs: number;
  /** Rows and bytes that a call adds to tables and indexes, and bytes of write-ahead log. */
  readonly rows: number;
  readonly tableBytes: number;
  readonly walBytes: number;
  /** Connections to Postgres of one process of each service. */
  readonly connections: number;
}

/** Modelled calls per second. */
const modelledRates = [1_000, 10_000, 50_000] as const;

/** Average use of a core per process, which leaves room for peaks. */
const coreShare = 0.5;
/** At least two processes per service, for the failure of one. */
const processesMin = 2;
const daySeconds = 86_400;
const gigabyte = 1e9;
const megabyte = 1e6;

/** Assumed, not measured, limits of one machine or process. */
const walls = {
  /** Cores of one Postgres. */
  databaseCores: 16,
  /** Write-ahead log of one Postgres, MB per second. */
  walMbPerSecond: 200,
  /** New rows and indexes, GB per day. */
  tableGbPerDay: 1_000,
  /** In the manifests, one single-threaded logbook process consumes the messages. */
  logbookCores: 1,
  /** One broker. */
  brokerCores: 4,
} as const;

const broker = "nats-server";

/** Cores, processes, connections, rows and bytes at each size, and the first limit reached. */
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

/** The limit that is exceeded most. */
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
