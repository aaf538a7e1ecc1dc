import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lapse } from "@gatehouse/async/testing";
import type { OpenDatabase } from "@gatehouse/database";
import { isGatewayError } from "@gatehouse/errors";
import { type Allowances, createAllowances } from "@gatehouse/limits";
import { type FreezablePostgres, startFreezablePostgres } from "@gatehouse/postgres/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPrincipal, createUsage, log, openTestDatabase } from "./allowances-harness.ts";

const budgetMicros = 200_000_000;
const costMicros = 7;
const estimateMicros = 50;
const graceSeconds = 6;
/** Longest grace of a project, in which the length of the outage does not matter. */
const graceSecondsMax = 300;

let postgres: FreezablePostgres;
let folder: string;
beforeAll(async () => {
  postgres = await startFreezablePostgres("lasting");
  folder = await mkdtemp(join(tmpdir(), "gatehouse-grace-"));
  const database = openTestDatabase(postgres.url);
  await database.migrate(new URL("../prisma/migrations", import.meta.url));
  await database.close();
});
afterAll(async () => {
  await postgres.thaw();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Replica {
  readonly allowances: Allowances;
  readonly database: OpenDatabase;
  stop(): Promise<void>;
}

async function openReplica(replicaId: string): Promise<Replica> {
  const database = openTestDatabase(postgres.url);
  const spillFolder = join(folder, crypto.randomUUID());
  const allowances = createAllowances({ database, log, replicaId, spillFolder, onBudgetEvent: () => {} });
  await allowances.start();
  return {
    allowances,
    database,
    async stop() {
      await allowances.stop();
      await database.close();
    },
  };
}

/** Starts calls of one project and endpoint on several replicas, sequential on each, until stopped. */
function startTraffic(replicas: readonly Replica[], seconds: number | undefined) {
  const endpointUuid = crypto.randomUUID();
  const plain = createPrincipal({ projectUuid: endpointUuid, perMinute: 600_000, perHour: 1_000_000 });
  const principal =
    seconds === undefined ? plain : { ...plain, project: { ...plain.project, ledgerGraceSeconds: seconds } };
  const request = {
    endpointUuid,
    projectUuid: endpointUuid,
    tokenId: principal.tokenId,
    budgetMicros,
    estimateMicros,
    ledgerGraceMs: (seconds ?? 0) * 1_000,
  };
  const tally = { answered: 0, refused: 0, slowestMs: 0, answeredAtMs: 0 };
  const refusals = new Set<string>();
  const stopped = new AbortController();
  const call = async ({ allowances }: Replica) => {
    const beganMs = performance.now();
    try {
      const admission = await allowances.admit(principal);
      const result = admission.admitted ? await allowances.reserve(request) : undefined;
      if (result?.ok !== true) throw new Error("The call was refused by a limit.");
      await lapse(2, "a call takes time");
      allowances.settle(result.reservation, createUsage(costMicros));
      tally.answered += 1;
      tally.answeredAtMs = performance.now();
      tally.slowestMs = Math.max(tally.slowestMs, performance.now() - beganMs);
    } catch (err) {
      if (!isGatewayError(err)) throw err;
      tally.refused += 1;
      refusals.add(`${err.code} ${err.retryAfterSeconds}`);
      await lapse(20, "a refused caller waits");
    }
  };
  const loops = replicas.map(async (replica) => {
    while (!stopped.signal.aborted) await call(replica);
  });
  return {
    endpointUuid,
    tally,
    refusals,
    async stop() {
      stopped.abort();
      await Promise.all(loops);
    },
  };
}

type Traffic = ReturnType<typeof startTraffic>;

async function answers(traffic: Traffic, more: number): Promise<void> {
  const wanted = traffic.tally.answered + more;
  await expect.poll(() => traffic.tally.answered, { timeout: 30_000 }).toBeGreaterThanOrEqual(wanted);
}

/** Waits until each replica has leased budget for its grace period, at its rate of calls. */
async function warmUp([first, ...others]: readonly Replica[], traffic: Traffic): Promise<void> {
  const { tally, endpointUuid } = traffic;
  const beganMs = performance.now();
  await answers(traffic, 200);
  const isWarm = async () => {
    const { rows } = await (first as Replica).database.pool.query<{ micros: number }>(
      "SELECT micros::int AS micros FROM budget_leases WHERE endpoint_uuid = $1",
      [endpointUuid],
    );
    const perSecond = (1_000 * tally.answered) / (performance.now() - beganMs) / (1 + others.length);
    return (
      rows.length > others.length && rows.every(({ micros }) => micros > 3 * graceSeconds * perSecond * costMicros)
    );
  };
  await expect.poll(isWarm, { timeout: 30_000 }).toBe(true);
  // A busy Postgres may be late before the leases are warm; from now on, no call waits for it.
  tally.refused = 0;
  traffic.refusals.clear();
}

/** All costs are in the ledger to the micro-dollar, once the usage rows are written. */
async function expectClosed([first, ...others]: readonly Replica[], { endpointUuid, tally }: Traffic): Promise<void> {
  if (first === undefined) throw new Error("No replica.");
  for (const { allowances } of [first, ...others]) {
    await expect
      .poll(
        async () =>
          await allowances.flush().then(
            () => true,
            () => false,
          ),
        { timeout: 30_000 },
      )
      .toBe(true);
    await expect
      .poll(
        async () =>
          await allowances.tick().then(
            () => true,
            () => false,
          ),
        { timeout: 30_000 },
      )
      .toBe(true);
  }
  expect(await first.allowances.findLedgerDifferences()).toEqual([]);
  const { rows } = await first.database.pool.query(
    `SELECT g.spent_micros::int AS spent, g.requests::int AS requests,
       (SELECT count(*)::int FROM usage_rows u WHERE u.endpoint_uuid = g.endpoint_uuid AND outcome = 'presumed' AND cost_micros > 0) AS presumed
     FROM budget_ledgers g WHERE g.endpoint_uuid = $1`,
    [endpointUuid],
  );
  expect(rows).toEqual([{ spent: tally.answered * costMicros, requests: tally.answered, presumed: 0 }]);
}

test(
  "warm calls continue while Postgres is frozen until their grace ends, and the ledger adds up",
  { timeout: 120_000 },
  async () => {
    const replicas = [await openReplica("one"), await openReplica("other")];
    const traffic = startTraffic(replicas, graceSeconds);
    await warmUp(replicas, traffic);
    const before = traffic.tally.answered;
    const frozenAtMs = performance.now();
    await postgres.freeze();
    await expect.poll(() => traffic.tally.refused, { timeout: 60_000 }).toBeGreaterThan(0);
    // The grace period begins when a call notices the outage.
    await expect.poll(() => performance.now() - traffic.tally.answeredAtMs, { timeout: 30_000 }).toBeGreaterThan(500);
    expect(traffic.tally.answeredAtMs - frozenAtMs).toBeGreaterThan(graceSeconds * 1_000);
    expect(traffic.tally.answered - before).toBeGreaterThan(100);
    expect([...traffic.refusals]).toEqual(["unavailable 1"]);
    await postgres.thaw();
    await answers(traffic, 50);
    await traffic.stop();
    await expectClosed(replicas, traffic);
    for (const replica of replicas) await replica.stop();
  },
);

test(
  "no warm call is refused while Postgres is killed and starts again, and the ledger adds up",
  { timeout: 120_000 },
  async () => {
    const replicas = [await openReplica("one"), await openReplica("other")];
    // Longer than Postgres takes to start again, however busy the machine is.
    const traffic = startTraffic(replicas, graceSecondsMax);
    await warmUp(replicas, traffic);
    await postgres.kill();
    await lapse(11_000, "longer than a lease of a budget lives");
    await postgres.restart();
    await answers(traffic, 50);
    await traffic.stop();
    expect([...traffic.refusals]).toEqual([]);
    expect(traffic.tally.refused).toBe(0);
    expect(traffic.tally.answered).toBeGreaterThan(500);
    await expectClosed(replicas, traffic);
    for (const replica of replicas) await replica.stop();
  },
);

test("calls of a project without the setting are refused while Postgres is away", { timeout: 120_000 }, async () => {
  const replicas = [await openReplica("one")];
  const traffic = startTraffic(replicas, undefined);
  await answers(traffic, 100);
  await postgres.kill();
  await expect.poll(() => traffic.tally.refused, { timeout: 30_000 }).toBeGreaterThan(10);
  const { answered } = traffic.tally;
  await expect.poll(() => traffic.tally.refused, { timeout: 30_000 }).toBeGreaterThan(30);
  expect(traffic.tally.answered).toBe(answered);
  await postgres.restart();
  await answers(traffic, 10);
  await traffic.stop();
  await expectClosed(replicas, traffic);
  for (const replica of replicas) await replica.stop();
});
