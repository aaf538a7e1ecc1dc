import { ChangeFeed } from "@gatehouse/database";
import {
  allowanceBounds,
  type Allowances,
  type Reservation,
  type ReservationRequest,
  type ReserveResult,
} from "@gatehouse/limits";
import { expect, onTestFinished, test } from "vitest";
import { createUsage, log, useWorld, type World } from "./allowances-harness.ts";

let world: World;
useWorld((made) => (world = made));

function createRequest(overrides: Partial<ReservationRequest> = {}): ReservationRequest {
  return {
    endpointUuid: crypto.randomUUID(),
    projectUuid: crypto.randomUUID(),
    tokenId: 1,
    budgetMicros: 10_000_000,
    estimateMicros: 1_000,
    ...overrides,
  };
}

function reserved(result: ReserveResult): Reservation {
  if (!result.ok) throw new Error("The reservation was refused.");
  return result.reservation;
}

interface Ledger {
  readonly spent: number;
  readonly leased: number;
}

async function readLedger(endpointUuid: string, month = "2026-03"): Promise<Ledger> {
  const [ledger] = await world.query<Ledger>(
    `SELECT spent_micros::float8 AS spent, leased_micros::float8 AS leased FROM budget_ledgers
     WHERE endpoint_uuid = $1 AND month = $2`,
    [endpointUuid, month],
  );
  return ledger ?? { spent: 0, leased: 0 };
}

async function reserveAll(replicas: readonly Allowances[], request: ReservationRequest, count: number) {
  const results = Array.from(
    { length: count },
    async (_, at) => await replicas[at % replicas.length]?.reserve(request),
  );
  return (await Promise.all(results)).filter((result) => result?.ok === true).length;
}

test("three replicas together reserve exactly what the budget holds", async () => {
  const replicas = [world.createReplica(), world.createReplica(), world.createReplica()];
  const request = createRequest({ budgetMicros: 100_500, estimateMicros: 1_000 });
  let count = 0;
  for (let round = 0; round < 8; round++) {
    count += await reserveAll(replicas, request, 30);
    await world.advance(1_000);
    for (const replica of replicas) await replica.tick();
  }
  expect(count).toBe(100);
  expect(await readLedger(request.endpointUuid)).toEqual({ spent: 0, leased: 100_000 });
});

test("a warm lease answers synchronously, and a second settlement changes nothing", async () => {
  const replica = world.createReplica();
  const request = createRequest();
  reserved(await replica.reserve(request));
  const result = replica.reserve(request);
  if (result instanceof Promise) throw new Error("The lease was not warm.");
  const reservation = reserved(result);
  expect(replica.settle(reservation, createUsage(700))).toBe(true);
  expect(replica.settle(reservation, createUsage(700))).toBe(false);
  expect(replica.release(reservation)).toBe(false);
  await replica.flush();
  expect((await readLedger(request.endpointUuid)).spent).toBe(700);
  expect(await replica.findLedgerDifferences()).toEqual([]);
});

test("a refusal states the amount spent, and calls that fit the rest still pass", async () => {
  const replica = world.createReplica();
  const request = createRequest({ budgetMicros: 10_000, estimateMicros: 9_000 });
  replica.settle(reserved(await replica.reserve(request)), createUsage(8_000));
  const refusal = { ok: false, reason: "spent", spentMicros: 8_000, budgetMicros: 10_000 };
  expect(await replica.reserve(request)).toMatchObject(refusal);
  expect(await replica.reserve({ ...request, estimateMicros: 2_000 })).toMatchObject({ ok: true });
});

test("a budget of 0 refuses every call, one that costs nothing too", async () => {
  const replica = world.createReplica();
  const request = createRequest({ budgetMicros: 0, estimateMicros: 0 });
  expect(await replica.reserve(request)).toMatchObject({ ok: false, spentMicros: 0, budgetMicros: 0 });
  expect(replica.reserve(request)).toMatchObject({ ok: false, reason: "spent", spentMicros: 0, budgetMicros: 0 });
});

test("calls without a price pass until the budget is spent", async () => {
  const replica = world.createReplica();
  const request = createRequest({ budgetMicros: 500, estimateMicros: 0 });
  const first = reserved(await replica.reserve(request));
  expect(replica.reserve(request)).toMatchObject({ ok: true });
  replica.settle(first, createUsage(500));
  expect(await replica.reserve(request)).toMatchObject({
    ok: false,
    reason: "spent",
    spentMicros: 500,
    budgetMicros: 500,
  });
});

test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
  "an estimate of %d is a defect of the caller",
  (estimateMicros) => {
    expect(() => world.createReplica().reserve(createRequest({ estimateMicros }))).toThrow(RangeError);
  },
);

test("without a budget nothing is asked of the database, and the use is accounted for", async () => {
  const replica = world.createReplica();
  const request = createRequest({ budgetMicros: null });
  const result = replica.reserve(request);
  if (result instanceof Promise) throw new Error("The database was asked.");
  replica.settle(reserved(result), createUsage(123));
  await replica.flush();
  expect(await readLedger(request.endpointUuid)).toEqual({ spent: 123, leased: 0 });
});

test("a cost over its estimate is recorded in full, and no more is leased until the next month", async () => {
  const replicas = [world.createReplica(), world.createReplica()];
  const [replica, other] = replicas as [Allowances, Allowances];
  const request = createRequest({ budgetMicros: 10_000_000, estimateMicros: 10_000_000 });
  replica.settle(reserved(await replica.reserve(request)), createUsage(10_020_000));
  const refusal = { ok: false, reason: "spent", spentMicros: 10_020_000, budgetMicros: 10_000_000 };
  expect(await replica.reserve(request)).toMatchObject(refusal);
  await replica.flush();
  expect(await other.reserve({ ...request, estimateMicros: 1 })).toMatchObject(refusal);
  expect(await readLedger(request.endpointUuid)).toEqual({ spent: 10_020_000, leased: 0 });
});

test("leases of a killed replica are held until they expire, and then presumed spent", async () => {
  const [dead, alive] = [world.createReplica(), world.createReplica()];
  const request = createRequest({ budgetMicros: 10_000, estimateMicros: 10_000 });
  reserved(await dead.reserve(request));
  await world.advance(9_999);
  expect(await alive.reserve(request)).toMatchObject({ ok: false, reason: "in_progress", reservedMicros: 10_000 });
  await world.advance(251);
  expect(await alive.reserve(request)).toMatchObject({ ok: false, reason: "spent", spentMicros: 10_000 });
  expect(await readLedger(request.endpointUuid)).toEqual({ spent: 10_000, leased: 0 });
  expect(await alive.findLedgerDifferences()).toEqual([]);
});

test("an expired lease is presumed to be spent without any call of the endpoint", async () => {
  const [dead, alive] = [world.createReplica(), world.createReplica()];
  const request = createRequest();
  reserved(await dead.reserve(request));
  const { leased } = await readLedger(request.endpointUuid);
  expect(leased).toBeGreaterThanOrEqual(1_000);
  await world.advance(10_000);
  await alive.tick();
  expect(await readLedger(request.endpointUuid)).toEqual({ spent: leased, leased: 0 });
  expect(await alive.findLedgerDifferences()).toEqual([]);
});

test("a replica that was cut off gets back what was presumed spent, and its calls are counted once", async () => {
  const [cutOff, other] = [world.createReplica(), world.createReplica()];
  const request = createRequest({ budgetMicros: 10_000, estimateMicros: 6_000 });
  const first = reserved(await cutOff.reserve(request));
  const second = reserved(await cutOff.reserve({ ...request, estimateMicros: 3_000 }));
  await world.advance(10_000);
  expect(await other.reserve(request)).toMatchObject({ ok: false });
  cutOff.settle(first, createUsage(5_000));
  await cutOff.flush();
  expect((await readLedger(request.endpointUuid)).spent).toBeGreaterThanOrEqual(9_000);
  await cutOff.tick();
  expect(await readLedger(request.endpointUuid)).toMatchObject({ spent: 5_000 });
  expect((await readLedger(request.endpointUuid)).leased).toBeGreaterThanOrEqual(3_000);
  expect(await cutOff.findLedgerDifferences()).toEqual([]);
  cutOff.release(second);
  await world.advance(10_000);
  await cutOff.tick();
  expect(await other.reserve({ ...request, estimateMicros: 5_000 })).toMatchObject({ ok: true });
});

test("the rows of a killed replica that are replayed explain what it was presumed to have spent", async () => {
  const [dead, alive] = [world.createReplica(), world.createReplica()];
  const request = createRequest({ budgetMicros: 10_000, estimateMicros: 10_000 });
  const reservation = reserved(await dead.reserve(request));
  await world.advance(10_000);
  await alive.tick();
  dead.settle(reservation, createUsage(4_000));
  await dead.flush();
  // The rest may have been spent by unreported calls.
  expect(await readLedger(request.endpointUuid)).toEqual({ spent: 10_000, leased: 0 });
  expect(await alive.findLedgerDifferences()).toEqual([]);
  expect(
    await world.query("SELECT outcome, cost_micros::int AS cost FROM usage_rows WHERE endpoint_uuid = $1 ORDER BY 1", [
      request.endpointUuid,
    ]),
  ).toEqual([
    { outcome: "answered", cost: 4_000 },
    { outcome: "presumed", cost: 6_000 },
  ]);
});

test("a long call keeps its reservation as long as its replica lives", async () => {
  const [replica, other] = [world.createReplica(), world.createReplica()];
  const request = createRequest({ budgetMicros: 10_000, estimateMicros: 10_000 });
  const reservation = reserved(await replica.reserve(request));
  for (let second = 0; second < 60; second++) {
    await world.advance(1_000);
    await replica.tick();
    await other.tick();
    if (second % 10 === 0) expect(await other.reserve(request)).toMatchObject({ ok: false });
  }
  replica.settle(reservation, createUsage(10_000));
  await replica.flush();
  expect(await readLedger(request.endpointUuid)).toEqual({ spent: 10_000, leased: 0 });
});

test("a call that does not end is settled after an hour at its whole reservation, and corrected when it ends", async () => {
  const replica = world.createReplica();
  const request = createRequest({ budgetMicros: 10_000, estimateMicros: 10_000 });
  const reservation = reserved(await replica.reserve(request));
  await world.advance(3_600_000);
  await replica.tick();
  await replica.flush();
  expect(replica.stats().openReservations).toBe(0);
  expect((await readLedger(request.endpointUuid)).spent).toBe(10_000);
  expect(await replica.reserve({ ...request, estimateMicros: 5_000 })).toMatchObject({ ok: false, reason: "spent" });
  expect(replica.settle(reservation, createUsage(3_000))).toBe(true);
  expect(replica.settle(reservation, createUsage(3_000))).toBe(false);
  await replica.flush();
  expect((await readLedger(request.endpointUuid)).spent).toBe(3_000);
  expect(await replica.findLedgerDifferences()).toEqual([]);
  expect(await replica.getUsage({ endpointUuid: request.endpointUuid })).toMatchObject({
    endpoints: [{ requests: 1, costMicros: 3_000, promptTokens: 10 }],
  });
  await world.advance(1_000);
  await replica.tick();
  expect(await replica.reserve({ ...request, estimateMicros: 5_000 })).toMatchObject({ ok: true });
});

test("a longer call reserves more of the month that it began in, or is refused", async () => {
  const [replica, other] = [world.createReplica(), world.createReplica()];
  const request = createRequest({ budgetMicros: 10_000, estimateMicros: 4_000 });
  await world.setTime(Date.parse("2026-03-31T23:59:59.999Z"));
  const reservation = reserved(await replica.reserve(request));
  await world.advance(1);
  expect(await replica.extend(reservation, { estimateMicros: 3_000 })).toEqual({ ok: true, heldMicros: 3_000 });
  expect(await replica.extend(reservation, { estimateMicros: 9_000, leastMicros: 2_000 })).toEqual({
    ok: true,
    heldMicros: 3_000,
  });
  expect(await replica.extend(reservation, { estimateMicros: 1 })).toMatchObject({ ok: false });
  expect(await readLedger(request.endpointUuid, "2026-03")).toEqual({ spent: 0, leased: 10_000 });
  expect(await other.reserve({ ...request, estimateMicros: 10_000 })).toMatchObject({ ok: true });
  replica.settle(reservation, createUsage(9_500));
  await replica.flush();
  expect((await readLedger(request.endpointUuid, "2026-03")).spent).toBe(9_500);
  expect(await replica.extend(reservation, { estimateMicros: 1_000 })).toMatchObject({ ok: false });
});

test("a call that ends while more money is fetched for it holds nothing afterwards", async () => {
  const [replica, other] = [world.createReplica(), world.createReplica()];
  const request = createRequest({ budgetMicros: 10_000, estimateMicros: 1_000 });
  const reservation = reserved(await replica.reserve(request));
  const extending = replica.extend(reservation, { estimateMicros: 9_000 });
  replica.settle(reservation, createUsage(1_000));
  expect(await extending).toMatchObject({ ok: false });
  await replica.flush();
  await world.advance(11_000);
  await replica.tick();
  expect(await readLedger(request.endpointUuid)).toEqual({ spent: 1_000, leased: 0 });
  expect(await other.reserve({ ...request, estimateMicros: 9_000 })).toMatchObject({ ok: true });
});

test("calls in progress keep their reservations when the budget is lowered, and the money is not lent again when it is raised", async () => {
  const [replica, other] = [world.createReplica(), world.createReplica()];
  const request = createRequest({ budgetMicros: 10_000, estimateMicros: 8_000 });
  const reservation = reserved(await replica.reserve(request));
  expect(await replica.reserve({ ...request, budgetMicros: 1_000, estimateMicros: 500 })).toMatchObject({ ok: false });
  expect((await readLedger(request.endpointUuid)).leased).toBe(8_000);
  expect(await other.reserve({ ...request, estimateMicros: 3_000 })).toMatchObject({
    ok: false,
    reason: "in_progress",
  });
  replica.settle(reservation, createUsage(8_000));
  await replica.flush();
  expect((await readLedger(request.endpointUuid)).spent).toBe(8_000);
});

test("released money can be reserved again at once", async () => {
  const replica = world.createReplica();
  const request = createRequest({ budgetMicros: 10_000, estimateMicros: 10_000 });
  const reservation = reserved(await replica.reserve(request));
  expect(await replica.reserve(request)).toMatchObject({ ok: false });
  expect(replica.release(reservation)).toBe(true);
  expect(replica.reserve(request)).toMatchObject({ ok: true });
});

test.each(["settled", "released"] as const)(
  "money that a %s call has left of a short budget can be reserved by another replica at once",
  async (end) => {
    const [replica, other] = [world.createReplica(), world.createReplica()];
    const request = createRequest({ budgetMicros: 10_000, estimateMicros: 10_000, leastMicros: 8_000 });
    const reservation = reserved(await replica.reserve(request));
    expect(await other.reserve(request)).toMatchObject({ ok: false, reason: "in_progress" });
    await world.advance(allowanceBounds.refusalHoldMs);
    if (end === "settled") replica.settle(reservation, createUsage(1_000));
    else replica.release(reservation);
    const leased = async () => (await readLedger(request.endpointUuid)).leased;
    await expect.poll(leased).toBeLessThanOrEqual(1_000);
    expect(await other.reserve(request)).toMatchObject({ ok: true });
  },
);

test("surplus leases of a replica are returned within a tick", async () => {
  const [replica, other] = [world.createReplica(), world.createReplica()];
  const request = createRequest({ budgetMicros: 100_000, estimateMicros: 9_000 });
  // More is left to lease than this replica has idle, so it is not returned at once.
  replica.release(reserved(await replica.reserve(request)));
  const large = { ...request, estimateMicros: 95_000 };
  expect(await other.reserve(large)).toMatchObject({ ok: false });
  await world.advance(1_000);
  await replica.tick();
  expect(await other.reserve(large)).toMatchObject({ ok: true });
});

/** Replicas of one ledger that hear each other. */
async function createHearingReplicas() {
  const feeds = [new ChangeFeed(world.database, log), new ChangeFeed(world.database, log)];
  await Promise.all(feeds.map(async (feed) => await feed.start()));
  onTestFinished(async () => void (await Promise.all(feeds.map(async (feed) => await feed.stop()))));
  const [replica, other] = feeds.map((messages) => world.createReplica({ messages }));
  if (replica === undefined || other === undefined) throw new Error("There are two replicas.");
  return { replica, other };
}

test("a call gets what another replica holds idle, without a wait for its tick", async () => {
  const { replica, other } = await createHearingReplicas();
  const request = createRequest({ budgetMicros: 100_000, estimateMicros: 9_000 });
  replica.release(reserved(await replica.reserve(request)));
  const large = { ...request, estimateMicros: 95_000 };
  const reservation = reserved(await other.reserve(large));
  other.release(reservation);
  // As soon as a moment before it was refused by what the lease knew.
  expect(await replica.reserve({ ...request, estimateMicros: 99_999 })).toMatchObject({ ok: true });
  expect(await readLedger(request.endpointUuid)).toMatchObject({ spent: 0 });
});

test("a call is refused for what calls of another replica have reserved, and takes the rest", async () => {
  const { replica, other } = await createHearingReplicas();
  const request = createRequest({ budgetMicros: 100_000, estimateMicros: 60_000 });
  const reservation = reserved(await replica.reserve(request));
  expect(await other.reserve({ ...request, estimateMicros: 40_001 })).toMatchObject({
    ok: false,
    reason: "in_progress",
  });
  await world.advance(allowanceBounds.refusalHoldMs);
  expect(await other.reserve({ ...request, estimateMicros: 40_000 })).toMatchObject({ ok: true });
  expect(await readLedger(request.endpointUuid)).toEqual({ spent: 0, leased: 100_000 });
  expect(replica.settle(reservation, createUsage(60_000))).toBe(true);
});

test("a holder that does not answer delays a refusal by the bound, and costs nothing", async () => {
  const { other } = await createHearingReplicas();
  const deaf = world.createReplica();
  const request = createRequest({ budgetMicros: 100_000, estimateMicros: 9_000 });
  deaf.release(reserved(await deaf.reserve(request)));
  const large = { ...request, estimateMicros: 95_000 };
  expect(await other.reserve(large)).toMatchObject({ ok: false, reason: "in_progress" });
  await world.advance(1_000);
  await deaf.tick();
  expect(await other.reserve(large)).toMatchObject({ ok: true });
});

test("a new month has the whole budget, and a call is billed in the month it began in", async () => {
  const replica = world.createReplica();
  const request = createRequest({ budgetMicros: 10_000, estimateMicros: 10_000 });
  await world.setTime(Date.parse("2026-03-31T23:59:59.999Z"));
  const march = reserved(await replica.reserve(request));
  await world.advance(1);
  const april = reserved(await replica.reserve(request));
  await replica.tick();
  replica.settle(march, createUsage(9_000));
  replica.settle(april, createUsage(8_000));
  await replica.flush();
  await replica.tick();
  expect(await readLedger(request.endpointUuid, "2026-03")).toEqual({ spent: 9_000, leased: 0 });
  expect(await readLedger(request.endpointUuid, "2026-04")).toMatchObject({ spent: 8_000 });
  expect(await replica.getUsage({ endpointUuid: request.endpointUuid })).toMatchObject({
    month: "2026-04",
    endpoints: [{ costMicros: 8_000 }],
  });
  await world.advance(10_000);
  await replica.tick();
  expect(replica.stats().budgetLeases).toBe(0);
});

test("a budget that is changed holds from the next call", async () => {
  const replica = world.createReplica();
  const request = createRequest({ budgetMicros: 10_000, estimateMicros: 6_000 });
  replica.settle(reserved(await replica.reserve(request)), createUsage(6_000));
  expect(await replica.reserve(request)).toMatchObject({ ok: false });
  expect(await replica.reserve({ ...request, budgetMicros: 20_000 })).toMatchObject({ ok: true });
  expect(await replica.reserve({ ...request, budgetMicros: 7_000 })).toMatchObject({ ok: false, budgetMicros: 7_000 });
  await replica.tick();
  // The second call continues with the leased amount.
  expect(await readLedger(request.endpointUuid)).toEqual({ spent: 6_000, leased: 6_000 });
});

test("80 % and the end of a budget are announced once a month, by one replica", async () => {
  const replicas = [world.createReplica(), world.createReplica()];
  const request = createRequest({ budgetMicros: 100, estimateMicros: 10 });
  for (let call = 0; call < 10; call++) {
    const replica = replicas[call % 2] as Allowances;
    replica.settle(reserved(await replica.reserve(request)), createUsage(10));
    await replica.tick();
    await world.advance(1_000);
    expect(world.events).toHaveLength(call < 7 ? 0 : call < 9 ? 1 : 2);
  }
  for (const replica of replicas) {
    expect(await replica.reserve(request)).toMatchObject({ ok: false });
    await replica.tick();
  }
  const common = {
    endpointUuid: request.endpointUuid,
    projectUuid: request.projectUuid,
    month: "2026-03",
    budgetMicros: 100,
  };
  expect(world.events).toEqual([
    { kind: "budget.threshold_reached", ...common, spentMicros: 80 },
    { kind: "budget.exhausted", ...common, spentMicros: 100 },
  ]);
});

test("a budget event whose outbox row could not be written is raised again", async () => {
  let failures = 1;
  const written: string[] = [];
  const replica = world.createReplica({
    async onBudgetEvent({ kind }, transaction) {
      await transaction.query("SELECT 1", []);
      if (failures-- > 0) throw new Error("The outbox refused.");
      written.push(kind);
    },
  });
  const request = createRequest({ budgetMicros: 100, estimateMicros: 90 });
  replica.settle(reserved(await replica.reserve(request)), createUsage(90));
  await replica.flush();
  await expect.poll(() => failures).toBe(0);
  await replica.tick();
  await expect.poll(() => written).toEqual(["budget.threshold_reached"]);
});

test("a report has the calls that have ended, also before the next flush", async () => {
  const replica = world.createReplica();
  const request = createRequest({ budgetMicros: null });
  for (const requests of [1, 2]) {
    replica.settle(reserved(await replica.reserve(request)), createUsage(50));
    const { endpoints } = await replica.getUsage({ endpointUuid: request.endpointUuid });
    expect(endpoints).toMatchObject([{ requests, costMicros: 50 * requests }]);
  }
});

test("usage is reported by endpoint, and narrowed by project and month", async () => {
  const replica = world.createReplica();
  const one = createRequest({ budgetMicros: null });
  const two = createRequest({ projectUuid: one.projectUuid });
  for (const request of [one, one, two]) replica.settle(reserved(await replica.reserve(request)), createUsage(50));
  await replica.flush();
  const { month, endpoints } = await replica.getUsage({ projectUuid: one.projectUuid });
  expect(month).toBe("2026-03");
  expect(endpoints).toHaveLength(2);
  expect(endpoints.find(({ endpointUuid }) => endpointUuid === one.endpointUuid)).toEqual({
    endpointUuid: one.endpointUuid,
    projectUuid: one.projectUuid,
    requests: 2,
    promptTokens: 20,
    completionTokens: 10,
    costMicros: 100,
  });
  expect(await replica.getUsage({ projectUuid: one.projectUuid, month: "2026-02" })).toEqual({
    month: "2026-02",
    endpoints: [],
  });
});

test("usage is reported by user, the most expensive first, without the calls that name no user", async () => {
  const replica = world.createReplica();
  const one = createRequest({ budgetMicros: null });
  const two = createRequest({ projectUuid: one.projectUuid });
  const spend = async (request: typeof one, costMicros: number, user: string | null) =>
    replica.settle(reserved(await replica.reserve(request)), createUsage(costMicros, { user }));
  await spend(one, 50, "ann");
  await spend(two, 50, "ann");
  await spend(two, 70, "bob");
  await spend(two, 1_000, null);
  await replica.flush();
  const { users } = await replica.getUserUsage({ projectUuid: one.projectUuid });
  expect(users.map(({ user, requests, costMicros }) => [user, requests, costMicros])).toEqual([
    ["ann", 2, 100],
    ["bob", 1, 70],
  ]);
  expect((await replica.getUserUsage({ endpointUuid: one.endpointUuid })).users).toMatchObject([
    { user: "ann", costMicros: 50, promptTokens: 10, completionTokens: 5 },
  ]);
  expect(await replica.getUserUsage({ projectUuid: one.projectUuid, month: "2026-02" })).toEqual({
    month: "2026-02",
    users: [],
  });
});

test("users beyond the bound of a report are one row, and nothing is lost", async () => {
  const replica = world.createReplica();
  const request = createRequest({ budgetMicros: null });
  const count = allowanceBounds.reportedUsersMax + 20;
  for (let index = 0; index < count; index += 1) {
    replica.settle(reserved(await replica.reserve(request)), createUsage(1_000 + index, { user: `user-${index}` }));
  }
  await replica.flush();
  const { users } = await replica.getUserUsage({ endpointUuid: request.endpointUuid });
  expect(users).toHaveLength(allowanceBounds.reportedUsersMax + 1);
  expect(users[0]).toMatchObject({ user: `user-${count - 1}` });
  expect(users.at(-1)).toMatchObject({ user: null, requests: 20 });
  expect(users.reduce((sum, { requests }) => sum + requests, 0)).toBe(count);
});

test("any usage that a provider reports can be stored", async () => {
  const replica = world.createReplica();
  const request = createRequest({ budgetMicros: null });
  const strange = { promptTokens: Number.NaN, completionTokens: -5, cachedTokens: 1e300, reasoningTokens: 1.5 };
  const usage = createUsage(Number.NaN, { ...strange, model: `\0\ud800${"x".repeat(5_000)}` });
  replica.settle(reserved(await replica.reserve(request)), usage);
  await replica.flush();
  expect(await replica.getUsage({ endpointUuid: request.endpointUuid })).toMatchObject({
    endpoints: [{ requests: 1 }],
  });
});

test("a stop returns the whole lease", async () => {
  const replica = world.createReplica();
  const request = createRequest();
  replica.settle(reserved(await replica.reserve(request)), createUsage(400));
  await replica.stop();
  expect(await readLedger(request.endpointUuid)).toEqual({ spent: 400, leased: 0 });
});
