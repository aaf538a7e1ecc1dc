import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startPostgres } from "@gatehouse/postgres";
import pg from "pg";
import { chatCall } from "../call.ts";
import { type CallCost, toModel } from "../capacity-model.ts";
import { measure, type Measurement, type Stage } from "../measure.ts";
import { formatNumber, type Table } from "../report.ts";
import { nothingMeasured, type Bench, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import { byRound, callsPerSecond, type Figure, ownTable, processNotes, wholeCpuUs } from "../stage-table.ts";
import { summarize } from "../statistics.ts";
import type { Subject } from "../subject.ts";
import { startGatehouse } from "../systems/gatehouse.ts";
import { createPolicySubject } from "../systems/policy-subject.ts";

/** Costs are measured at one rate, and the model is checked at another. */
const costs: Stage = {
  name: "capacity: open loop, 200 calls/s",
  call: chatCall,
  connections: 64,
  unit: "call",
  rate: 200,
};
const checked: Stage = { ...costs, name: "capacity: open loop, 600 calls/s", rate: 600 };
const stages = [costs, checked];
const subjectName = "services, all policies";

/** Log entries are written in batches; they are complete when none has arrived for this time. */
const settledMs = 2_000;
const settleWithinMs = 20_000;

/** Cost of a call in CPU, rows and bytes, and larger sizes computed from it. */
export const capacity: Scenario = {
  name: "capacity",
  summary: "CPU, rows and bytes of a call to services, and the model for 1,000, 10,000 and 50,000 calls a second",
  async run(bench) {
    // Sets of nine processes, which not every full run needs.
    const { topology, scenarios } = bench.options;
    if (topology === "standalone" && !scenarios.includes("capacity")) return nothingMeasured;
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-capacity-"));
    // Postgres may run as another user, who needs access.
    chmodSync(folder, 0o711);
    const { logFolder, provider } = bench;
    const logFile = join(logFolder, "capacity-postgres.log");
    const postgres = await startPostgres({ dataDir: join(folder, "postgres"), logFile });
    try {
      const at = { providerOrigin: provider.origin, logFolder, logName: "capacity", fromSource: false, profile: false };
      const gatehouse = await startGatehouse({ ...at, topology: "services", databaseUrl: postgres.url });
      if (!gatehouse) return nothingMeasured;
      try {
        const guardrails = {
          keywords: ["forbidden phrase"],
          pii: { mode: "block" },
          prompt_injection: { mode: "block" },
        };
        const subject = await createPolicySubject(gatehouse, { name: subjectName, guardrails });
        const group = { rootPid: gatehouse.subject.group?.rootPid ?? 0, home: folder };
        return await model(bench, { ...subject, group }, postgres.url);
      } finally {
        await gatehouse.stop();
      }
    } finally {
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function model(bench: Bench, subject: Subject, databaseUrl: string): Promise<ScenarioOutcome> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const before = await readDatabase(client);
    const measurement = await measure(bench, { subjects: [subject], stages });
    const after = await readSettled(client);
    const calls = Math.max(1, after.entries - before.entries);
    const cost: CallCost = {
      cpuUs: cpuByProcess(measurement),
      databaseCpuUs: medianOf(measurement, costs, (cell) => cell.databaseCpuUs) ?? 0,
      rows: (after.rows - before.rows) / calls,
      tableBytes: (after.tableBytes - before.tableBytes) / calls,
      walBytes: (after.walBytes - before.walBytes) / calls,
      connections: after.connections,
    };
    return {
      tables: [
        ...stages.map((stage) => ({ ...ownTable(measurement, stage), notes: processNotes(measurement, stage) })),
        costTable(cost, calls),
        { ...toModel(cost), notes: [checkNote(measurement), assumptions] },
      ],
      goals: [],
      failures: measurement.failures,
      raw: { cells: measurement.cells, before, after, cost },
    };
  } finally {
    await client.end();
  }
}

const assumptions =
  "Arithmetic from one process of each service on this machine; the bounds of the last column are assumed.";

/** Checks the model at a measurable rate. */
function checkNote(measurement: Measurement): string {
  const asModelled = medianOf(measurement, costs, wholeCpuUs) ?? Number.NaN;
  const found = medianOf(measurement, checked, wholeCpuUs) ?? Number.NaN;
  const rate = medianOf(measurement, checked, callsPerSecond) ?? Number.NaN;
  const cores = (us: number) => formatNumber((rate * us) / 1e6);
  return `Held to ${formatNumber(rate)} calls/s: the model says ${cores(asModelled)} cores, ${cores(found)} were used (${formatNumber(found / asModelled)} ×).`;
}

function costTable(cost: CallCost, calls: number): Table {
  const sum = Object.values(cost.cpuUs).reduce((total, us) => total + us, 0);
  return {
    title: `capacity: one call, of ${calls.toLocaleString("en-US")}`,
    columns: [
      "",
      "services, CPU µs",
      "Postgres, CPU µs",
      "rows",
      "bytes in tables",
      "bytes of log",
      "connections in all",
    ],
    rows: [
      [
        "a call",
        ...[sum, cost.databaseCpuUs, cost.rows, cost.tableBytes, cost.walBytes].map(formatNumber),
        String(cost.connections),
      ],
    ],
  };
}

function medianOf(measurement: Measurement, stage: Stage, figure: Figure): number | undefined {
  const values = byRound(measurement, { subject: subjectName, stage: stage.name }, figure);
  return summarize(values.filter((value) => value !== undefined))?.median;
}

function cpuByProcess({ cells }: Measurement): Record<string, number> {
  const own = cells.filter(({ stage }) => stage === costs.name);
  const names = [...new Set(own.flatMap(({ cpuUsByName }) => Object.keys(cpuUsByName)))];
  return Object.fromEntries(
    names.map((name) => [name, summarize(own.map(({ cpuUsByName }) => cpuUsByName[name] ?? 0))?.median ?? 0]),
  );
}

interface DatabaseReading {
  /** Number of calls in the gateway log. */
  readonly entries: number;
  readonly rows: number;
  readonly tableBytes: number;
  readonly walBytes: number;
  readonly connections: number;
}

async function readDatabase(client: pg.Client): Promise<DatabaseReading> {
  const { rows } = await client.query<DatabaseReading>(`
SELECT (SELECT count(*) FROM logbook.gateway_log_entries)::float8 AS entries,
  (SELECT sum(n_tup_ins) FROM pg_stat_user_tables)::float8 AS rows,
  (SELECT sum(pg_total_relation_size(relid)) FROM pg_stat_user_tables)::float8 AS "tableBytes",
  (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 AS "walBytes",
  (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid())::int AS connections`);
  const [reading] = rows;
  if (reading === undefined) throw new Error("The database gave no figures.");
  return reading;
}

async function readSettled(client: pg.Client): Promise<DatabaseReading> {
  const untilMs = performance.now() + settleWithinMs;
  for (let last = await readDatabase(client); ;) {
    await delay(settledMs);
    const next = await readDatabase(client);
    if (next.entries === last.entries || performance.now() > untilMs) return next;
    last = next;
  }
}
