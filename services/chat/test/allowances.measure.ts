/**
 * Measures the cost of one decision on the hot path. Run from the repository's root: node --conditions=@gatehouse/source
 * services/chat/test/allowances.measure.ts. Uses TEST_DATABASE_URL where set (a server whose user may create databases), else
 * starts a throwaway Postgres.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Allowances, createAllowances } from "@gatehouse/limits";
import { startPostgres } from "@gatehouse/postgres";
import { createTestDatabase } from "@gatehouse/postgres/testing";
import { createPrincipal, createUsage, log, openTestDatabase } from "./allowances-harness.ts";

interface Timing {
  readonly sync: number[];
  readonly waited: number[];
}

/** A few calls per turn of the event loop, as requests arrive. */
async function time(count: number, call: (at: number) => unknown): Promise<Timing> {
  const timing: Timing = { sync: [], waited: [] };
  for (let at = 0; at < count; at++) {
    const start = performance.now();
    const answer = call(at);
    if (answer instanceof Promise) {
      await answer;
      timing.waited.push((performance.now() - start) * 1_000);
    } else timing.sync.push((performance.now() - start) * 1_000);
    if (at % 20 === 0) await nextTurn();
  }
  return timing;
}

function describe(name: string, { sync, waited }: Timing): void {
  const all = [...sync, ...waited].sort((one, other) => one - other);
  const at = (share: number) => (all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? 0).toFixed(1);
  const wait = ((100 * waited.length) / all.length).toFixed(2);
  process.stdout.write(
    `${name.padEnd(58)} n ${all.length}  p50 ${at(0.5)} µs  p99 ${at(0.99)} µs  p99.9 ${at(0.999)} µs  waited ${wait} %\n`,
  );
}

async function measure(replica: Allowances, other: Allowances): Promise<void> {
  const hour = 1_000_000_000;
  const principal = createPrincipal({ perMinute: hour, perHour: hour, tokenPerMinute: hour, tokenPerHour: hour });
  await time(50_000, () => replica.admit(principal));
  describe("admit, one hot key, four windows", await time(200_000, () => replica.admit(principal)));
  const shared = [replica, other];
  describe("admit, one hot key on two replicas", await time(100_000, (at) => shared[at % 2]?.admit(principal)));
  const narrow = createPrincipal({ perMinute: 100 });
  describe("admit, limit of 100 a minute, mostly refused", await time(20_000, () => replica.admit(narrow)));
  const many = Array.from({ length: 10_000 }, () => createPrincipal({ perMinute: 600, perHour: 20_000 }));
  describe(
    "admit, 10,000 projects in turn",
    await time(40_000, (at) => replica.admit(many[at % many.length] ?? principal)),
  );
  const endpointUuid = crypto.randomUUID();
  const request = {
    endpointUuid,
    projectUuid: endpointUuid,
    tokenId: 1,
    budgetMicros: 1_000_000_000_000,
    estimateMicros: 1_000,
  };
  const reserveAndSettle = () => {
    const result = replica.reserve(request);
    if (result instanceof Promise) return result.then((late) => late.ok && replica.release(late.reservation));
    return result.ok && replica.settle(result.reservation, createUsage(700));
  };
  await time(20_000, reserveAndSettle);
  describe("reserve and settle, one hot endpoint, usage row included", await time(50_000, reserveAndSettle));
  await replica.flush();
}

const folder = await mkdtemp(join(tmpdir(), "gatehouse-measure-"));
await chmod(folder, 0o711);
const server =
  process.env["TEST_DATABASE_URL"] === undefined
    ? await startPostgres({ dataDir: join(folder, "data"), logFile: join(folder, "postgres.log"), throwaway: true })
    : undefined;
if (server !== undefined) process.env["TEST_DATABASE_URL"] = server.url;
const testDatabase = await createTestDatabase();
const database = openTestDatabase(testDatabase.url);
await database.migrate(new URL("../prisma/migrations", import.meta.url));
const replicas = ["one", "two"].map((replicaId) =>
  createAllowances({ database, log, replicaId, spillFolder: join(folder, replicaId), onBudgetEvent: () => {} }),
);
const [one, two] = replicas as [Allowances, Allowances];
await Promise.all(replicas.map(async (replica) => await replica.start()));
await measure(one, two);
const started = performance.now();
const differences = await one.findLedgerDifferences();
process.stdout.write(
  `ledgers that differ from their usage rows: ${differences.length} (${(performance.now() - started).toFixed(0)} ms)\n`,
);
await Promise.all(replicas.map(async (replica) => await replica.stop()));
await database.close();
await testDatabase.drop();
await server?.stop();
await rm(folder, { recursive: true, force: true });
