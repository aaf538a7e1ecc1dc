import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Allowances, allowanceBounds } from "@gatehouse/limits";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPrincipal, createUsage, createWorld, type World } from "./allowances-harness.ts";
import type { LesseeWork } from "./lessee-program.ts";

/** Two processes that lease from one ledger; SIGKILL ends one while it counts and spends. */
let world: World;
let heir: Allowances;

beforeAll(async () => {
  world = await createWorld();
  heir = world.createReplica();
});

afterAll(async () => {
  await heir.stop();
  await world.close();
});

const costMicros = 1_000;
const callsBeforeKill = 50;
const program = fileURLToPath(new URL("lessee-program.ts", import.meta.url));

/** Starts the program and kills it during its calls. @returns the number of calls that it reported before settling them */
async function runAndKill(work: LesseeWork): Promise<number> {
  const child = fork(program, {
    execArgv: ["--conditions=@gatehouse/source"],
    env: { PATH: process.env["PATH"], LESSEE: JSON.stringify(work) },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  let calls = 0;
  child.on("message", () => {
    calls += 1;
    if (calls === callsBeforeKill) child.kill("SIGKILL");
  });
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  expect(signal).toBe("SIGKILL");
  return calls;
}

/** Calls until one ledger refuses. */
async function callUntilRefused(work: LesseeWork): Promise<number> {
  const principal = createPrincipal({ projectUuid: work.projectUuid, perHour: work.perHour });
  const { endpointUuid, projectUuid, budgetMicros } = work;
  for (let calls = 0; ; calls += 1) {
    const { admitted } = await heir.admit(principal);
    if (!admitted) return calls;
    const request = { endpointUuid, projectUuid, tokenId: 1, budgetMicros, estimateMicros: costMicros };
    const result = await heir.reserve(request);
    if (!result.ok) return calls;
    heir.settle(result.reservation, createUsage(costMicros));
  }
}

function workOf(limits: Pick<LesseeWork, "perHour" | "budgetMicros">): LesseeWork {
  const spillFolder = `${world.folder}/killed`;
  return { url: world.url, spillFolder, projectUuid: randomUUID(), endpointUuid: randomUUID(), costMicros, ...limits };
}

test("requests of a killed process and its successor together never exceed the limit, and the next window is full", async () => {
  const work = workOf({ perHour: 400, budgetMicros: 1_000_000_000 });
  const calls = await runAndKill(work);
  const rest = await callUntilRefused(work);
  expect(calls + rest).toBeLessThanOrEqual(400);
  // Lost: the rest of its lease, and the unreported call in progress.
  expect(calls + rest).toBeGreaterThanOrEqual(400 - Math.ceil(400 / allowanceBounds.leaseShare) - 1);
  await world.advance(3_600_000);
  expect(await callUntilRefused(work)).toBe(400);
});

test("costs of a killed process and its successor together never exceed the budget, and its lease is returned", async () => {
  const work = workOf({ perHour: 1_000_000, budgetMicros: 400 * costMicros });
  const calls = await runAndKill(work);
  const rest = await callUntilRefused(work);
  expect(calls + rest).toBeLessThanOrEqual(400);
  await world.advance(allowanceBounds.leaseLifeMs + 1);
  await heir.tick();
  const later = await callUntilRefused(work);
  expect(calls + rest + later).toBeLessThanOrEqual(400);
  await heir.flush();
  const [ledger] = await world.query<{ spent: number; leased: number }>(
    "SELECT spent_micros::float8 AS spent, leased_micros::float8 AS leased FROM budget_ledgers WHERE endpoint_uuid = $1",
    [work.endpointUuid],
  );
  // Unwritten calls of the killed process are presumed spent: nothing is spent twice, and nothing stays reserved.
  expect(ledger?.spent).toBeGreaterThanOrEqual((rest + later) * costMicros);
  expect(ledger?.spent).toBeLessThanOrEqual(400 * costMicros);
  expect((ledger?.spent ?? 0) + (ledger?.leased ?? 0)).toBe(400 * costMicros);
});
