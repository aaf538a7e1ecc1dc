import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findNatsServer, startNatsServer } from "@gatehouse/events/testing";
import { startPostgres } from "@gatehouse/postgres";
import { createTestDatabase } from "@gatehouse/postgres/testing";
import { losingBroker } from "./broker-scenario.ts";
import { changeUnderLoad } from "./change-scenario.ts";
import { startCrashingPostgres } from "./postgres-server.ts";
import { crashDatabase, killAt, killAtRandom, type ScenarioReport, several, standStill } from "./scenarios.ts";

/**
 * Long form of the ledger: `pnpm faults [--rounds <n>] [fault…]`. Prints one line per fault, and writes details to `.results/`.
 * Exits with 1 where an invariant is broken.
 */
interface Fault {
  readonly name: string;
  readonly run: (rounds: number) => Promise<FaultReport>;
}

type FaultReport = Partial<ScenarioReport> & { readonly violations: readonly string[] };

const places = ["claimed", "started", "sent", "recorded"];

async function onDatabase<T>(run: (databaseUrl: string) => Promise<T>): Promise<T> {
  const database = await createTestDatabase();
  try {
    return await run(database.url);
  } finally {
    await database.drop();
  }
}

const faults: readonly Fault[] = [
  ...places.map((place) => ({
    name: `kill-${place}`,
    run: async (rounds: number) =>
      await onDatabase(async (databaseUrl) => await killAt(place, { databaseUrl, rounds })),
  })),
  {
    name: "kill-random",
    run: async (rounds) =>
      await onDatabase(async (databaseUrl) => await killAtRandom({ databaseUrl, rounds: rounds * 4 })),
  },
  {
    name: "stand-still",
    run: async (rounds) =>
      await onDatabase(async (databaseUrl) => await standStill({ databaseUrl, rounds: Math.ceil(rounds / 4) })),
  },
  {
    name: "several",
    run: async (rounds) => await onDatabase(async (databaseUrl) => await several({ databaseUrl, rounds })),
  },
  { name: "database-crash", run: runDatabaseCrash },
  { name: "changes", run: async () => await onDatabase(changeUnderLoad) },
  { name: "broker-loss", run: runBrokerLoss },
];

async function runDatabaseCrash(rounds: number): Promise<FaultReport> {
  const server = await startCrashingPostgres();
  try {
    return await crashDatabase(server, { databaseUrl: server.url, rounds });
  } finally {
    await server.stop();
  }
}

async function runBrokerLoss(): Promise<FaultReport> {
  const program = await findNatsServer();
  if (program === undefined) return { violations: [] };
  const broker = await startNatsServer(program);
  try {
    return { faults: 2, ...(await onDatabase(async (url) => await losingBroker(url, broker))) };
  } finally {
    await broker.remove();
  }
}

const { values, positionals } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== "--"),
  allowPositionals: true,
  options: { rounds: { type: "string", default: "12" } },
});
const folder = await mkdtemp(join(tmpdir(), "gatehouse-faults-"));
const server = await startPostgres({ dataDir: join(folder, "data"), logFile: join(folder, "log"), throwaway: true });
process.env["TEST_DATABASE_URL"] = server.url;
const reports: Record<string, FaultReport & { readonly seconds: number }> = {};
const columns = ["fault", "faults", "events", "pairs", "arrivals", "succeeded", "interrupted", "seconds", "invariants"];
const widths = [16, 6, 6, 7, 8, 9, 11, 7, 10];
const print = (cells: readonly (string | number | undefined)[]) =>
  process.stdout.write(`${cells.map((cell, at) => String(cell ?? "–").padEnd(widths[at] ?? 0)).join("  ")}\n`);
print(columns);
for (const { name, run } of faults) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const begunAt = performance.now();
  const report = await run(Number(values.rounds)).catch((err: unknown): FaultReport => ({ violations: [String(err)] }));
  const seconds = Math.round((performance.now() - begunAt) / 1_000);
  reports[name] = { ...report, seconds };
  const { faults: count, events, pairs, arrivals, succeeded, interrupted, violations } = report;
  const verdict = violations.length === 0 ? "hold" : violations.join("; ");
  print([name, count, events, pairs, arrivals, succeeded, interrupted, seconds, verdict]);
}
const results = fileURLToPath(
  new URL(`../../.results/${new Date().toISOString().replaceAll(/[:.]/g, "-")}`, import.meta.url),
);
mkdirSync(results, { recursive: true });
writeFileSync(join(results, "faults.json"), `${JSON.stringify(reports, undefined, 1)}\n`);
process.stdout.write(`Raw data: ${results}/faults.json\n`);
await server.stop();
await rm(folder, { recursive: true, force: true });
process.exit(Object.values(reports).every(({ violations }) => violations.length === 0) ? 0 : 1);
