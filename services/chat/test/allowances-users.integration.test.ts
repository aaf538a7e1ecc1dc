import { allowanceBounds, type ReservationRequest } from "@gatehouse/limits";
import type { UserLimits } from "@gatehouse/principal";
import { expect, test } from "vitest";
import { createPrincipal, createUsage, reserved, useWorld, type World } from "./allowances-harness.ts";

let world: World;
useWorld((made) => (world = made));

const limited = (userLimits: UserLimits) => ({ ...createPrincipal(), userLimits });

/** Token id, which is part of the users' ledgers and so separates the tests. */
let tokens = 1_000;

function createRequest(user: string | undefined, changes: Partial<ReservationRequest> = {}): ReservationRequest {
  return {
    endpointUuid: crypto.randomUUID(),
    projectUuid: crypto.randomUUID(),
    tokenId: tokens,
    budgetMicros: null,
    estimateMicros: 1_000,
    userBudget: { user, budgetMicros: 2_000 },
    ...changes,
  };
}

const userLedgers = async () =>
  await world.query<{ spent: number; leased: number }>(
    `SELECT spent_micros::int AS spent, leased_micros::int AS leased FROM budget_ledgers
     WHERE substr(endpoint_uuid::text, 15, 1) = '8' ORDER BY 1`,
  );

test("each user has their own minute, over all replicas; calls that name no user share one", async () => {
  const replicas = [world.createReplica(), world.createReplica()];
  const principal = limited({ perMinute: 3, monthlyBudgetMicros: null });
  const admitted = async (user: string | undefined) => {
    let count = 0;
    for (let at = 0; at < 8; at++) if ((await replicas[at % 2]?.admit(principal, user))?.admitted === true) count += 1;
    return count;
  };
  expect([await admitted("ann"), await admitted("bob"), await admitted(undefined)]).toEqual([3, 3, 3]);
  expect(await replicas[0]?.admit(principal, "ann")).toMatchObject({ admitted: false, scope: "minute" });
  await world.advance(60_000);
  expect(await admitted("ann")).toBe(3);
});

test("a user's budget refuses that user alone, at any endpoint, and names the user", async () => {
  const replica = world.createReplica();
  tokens += 1;
  for (let call = 0; call < 2; call++) {
    const request = createRequest("ann");
    expect(replica.settle(reserved(await replica.reserve(request)), createUsage(1_000, { user: "ann" }))).toBe(true);
  }
  await replica.flush();
  expect(await replica.reserve(createRequest("ann"))).toMatchObject({
    ok: false,
    payer: "user",
    reason: "spent",
    spentMicros: 2_000,
  });
  expect((await replica.reserve(createRequest("bob"))).ok).toBe(true);
  expect((await replica.reserve(createRequest(undefined))).ok).toBe(true);
  // Users may be numerous, so their budgets raise no events.
  await replica.tick();
  expect(world.events).toEqual([]);
  await replica.stop();
});

test("many calls at once of one user, on two replicas, hold no more than the user's budget", async () => {
  const replicas = [world.createReplica(), world.createReplica()];
  tokens += 1;
  const calls = Array.from({ length: 20 }, async (_, at) => await replicas[at % 2]?.reserve(createRequest("ann")));
  expect((await Promise.all(calls)).filter((result) => result?.ok === true)).toHaveLength(2);
  for (const replica of replicas) await replica.stop();
});

test("a refusal by one of the two budgets holds nothing of the other", async () => {
  const replica = world.createReplica();
  tokens += 1;
  const poor = createRequest("ann", { budgetMicros: 10 });
  for (let call = 0; call < 5; call++) {
    const refused = await replica.reserve(poor);
    expect(refused).toMatchObject({ ok: false });
    expect(refused).not.toHaveProperty("payer");
  }
  const both = [await replica.reserve(createRequest("ann")), await replica.reserve(createRequest("ann"))];
  expect(both.every(({ ok }) => ok)).toBe(true);
  for (const result of both) expect(replica.release(reserved(result))).toBe(true);
  await replica.stop();
});

test("calls that an endpoint refuses hold nothing of their user's budget meanwhile", async () => {
  const replica = world.createReplica();
  tokens += 1;
  const spent = createRequest("ann", { budgetMicros: 1_000 });
  replica.settle(reserved(await replica.reserve(spent)), createUsage(1_000, { user: "ann" }));
  await replica.flush();
  expect(await replica.reserve(spent)).toMatchObject({ ok: false, reason: "spent" });
  const other = createRequest("ann");
  // The user has money for one call.
  const results = await Promise.all(
    [spent, spent, spent, other].map(async (request) => await replica.reserve(request)),
  );
  expect(results.map((result) => (result.ok ? "ok" : `${result.payer ?? "endpoint"} ${result.reason}`))).toEqual([
    "endpoint spent",
    "endpoint spent",
    "endpoint spent",
    "ok",
  ]);
  await replica.stop();
});

test("a call that needs more asks both budgets, and is limited to the smaller rest", async () => {
  const replica = world.createReplica();
  tokens += 1;
  const request = createRequest("ann", { estimateMicros: 5_000, leastMicros: 100, budgetMicros: 1_500 });
  const result = await replica.reserve(request);
  expect(result).toMatchObject({ ok: true, heldMicros: 1_500 });
  const more = await replica.extend(reserved(result), { estimateMicros: 600, leastMicros: 600 });
  expect(more).toMatchObject({ ok: false });
  replica.settle(reserved(result), createUsage(400));
  await replica.stop();
});

test("a user's calls are once in the reports, and ledgers of users are in none", async () => {
  const replica = world.createReplica();
  tokens += 1;
  const request = createRequest("ann");
  replica.settle(reserved(await replica.reserve(request)), createUsage(700, { user: "ann" }));
  await replica.flush();
  const { projectUuid, endpointUuid } = request;
  expect((await replica.getUsage({ projectUuid })).endpoints).toMatchObject([{ endpointUuid, costMicros: 700 }]);
  expect((await replica.getUserUsage({ projectUuid })).users).toMatchObject([{ user: "ann", requests: 1 }]);
  expect(await replica.findLedgerDifferences()).toEqual([]);
  await replica.stop();
});

test("a caller who invents users leaves no leases, windows or ledgers after a sweep", async () => {
  await world.query("TRUNCATE usage_records, usage_blocks, budget_ledgers, budget_leases, allowance_windows");
  const replica = world.createReplica();
  const principal = { ...limited({ perMinute: 1, monthlyBudgetMicros: 2_000 }), tokenId: (tokens += 1) };
  const count = allowanceBounds.usersOfTokenMax + 300;
  let refused = 0;
  for (let from = 0; from < count; from += 500) {
    const names = Array.from({ length: Math.min(500, count - from) }, (_, at) => `user-${from + at}`);
    const admissions = await Promise.all(names.map(async (name) => await replica.admit(principal, name)));
    refused += admissions.filter(({ admitted }) => !admitted).length;
  }
  // The first user over the bound takes the one place that all of them share.
  expect(refused).toBe(299);
  expect(replica.stats().users).toBe(allowanceBounds.usersOfTokenMax);
  const projectUuid = principal.project.uuid;
  for (const user of ["a", "b"]) replica.release(reserved(await replica.reserve(createRequest(user, { projectUuid }))));
  expect(replica.stats().users).toBe(allowanceBounds.usersOfTokenMax);
  await world.advance(4 * allowanceBounds.sweepIntervalMs);
  await replica.tick();
  await world.advance(allowanceBounds.sweepIntervalMs);
  await replica.tick();
  await replica.tick();
  expect(replica.stats()).toMatchObject({ users: 0, windowLeases: 0, budgetLeases: 0 });
  expect(await world.query("SELECT 1 FROM allowance_windows")).toEqual([]);
  expect(await userLedgers()).toEqual([]);
  await replica.stop();
});

test("users' ledgers and rows are kept for this month and the one before", async () => {
  await world.query("TRUNCATE usage_records, usage_blocks, budget_ledgers, budget_leases");
  const replica = world.createReplica();
  tokens += 1;
  replica.settle(reserved(await replica.reserve(createRequest("ann"))), createUsage(700, { user: "ann" }));
  await replica.flush();
  await replica.tick();
  await world.setTime(Date.parse("2026-04-20T00:00:00Z"));
  await replica.tick();
  expect(await userLedgers()).toEqual([{ spent: 700, leased: 0 }]);
  await world.setTime(Date.parse("2026-05-02T00:00:00Z"));
  await replica.tick();
  expect(await userLedgers()).toEqual([]);
  expect(await world.query("SELECT user_name FROM usage_rows")).toEqual([{ user_name: "ann" }]);
  await replica.stop();
});
