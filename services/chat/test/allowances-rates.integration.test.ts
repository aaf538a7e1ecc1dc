import type { Allowances } from "@gatehouse/limits";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createPrincipal, createWorld, type World, worldStart } from "./allowances-harness.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

beforeEach(async () => await world.setTime(worldStart));

afterAll(async () => await world.close());

async function admitAll(replicas: readonly Allowances[], principal: Parameters<Allowances["admit"]>[0], count: number) {
  const all = Array.from({ length: count }, async (_, at) => await replicas[at % replicas.length]?.admit(principal));
  const admissions = await Promise.all(all);
  return admissions.filter((admission) => admission?.admitted === true).length;
}

async function granted(subject: string, seconds: number): Promise<number | undefined> {
  const [row] = await world.query<{ granted: string }>(
    "SELECT granted FROM allowance_windows WHERE subject = $1 AND window_seconds = $2",
    [subject, seconds],
  );
  return row === undefined ? undefined : Number(row.granted);
}

test.each([1, 7, 40, 100, 1_000])("three replicas together admit exactly a limit of %i", async (limit) => {
  const replicas = [world.createReplica(), world.createReplica(), world.createReplica()];
  const principal = createPrincipal({ perMinute: limit, perHour: 10_000 });
  let admitted = 0;
  for (let round = 0; round < 12; round++) {
    admitted += await admitAll(replicas, principal, Math.ceil(limit / 5));
    await world.advance(300);
  }
  expect(admitted).toBe(limit);
});

test("a refused request has the window and the time to retry, and is counted in no window", async () => {
  const replica = world.createReplica();
  const principal = createPrincipal({ perMinute: 2, perHour: 100 });
  await world.advance(17_400);
  expect(await replica.admit(principal)).toEqual({
    admitted: true,
    tightest: { limit: 2, remaining: 1, resetAtSeconds: worldStart / 1_000 + 60 },
  });
  expect(await replica.admit(principal)).toMatchObject({ admitted: true, tightest: { remaining: 0 } });
  for (let at = 0; at < 5; at++) {
    expect(await replica.admit(principal)).toEqual({
      admitted: false,
      scope: "minute",
      retryAfterSeconds: 43,
      tightest: { limit: 2, remaining: 0, resetAtSeconds: worldStart / 1_000 + 60 },
    });
  }
  await world.advance(20_000);
  await replica.tick();
  expect(await granted(`project:${principal.project.uuid}`, 3_600)).toBe(2);
});

test("when both windows are used up, the one that ends last is named", async () => {
  const replica = world.createReplica();
  const principal = createPrincipal({ perMinute: 2, perHour: 2 });
  expect(await admitAll([replica], principal, 3)).toBe(2);
  expect(await replica.admit(principal)).toMatchObject({ admitted: false, scope: "hour", retryAfterSeconds: 3_600 });
});

test("the next minute and the next hour begin at zero, by the database's clock", async () => {
  const replicas = [world.createReplica(), world.createReplica()];
  const principal = createPrincipal({ perMinute: 3, perHour: 5 });
  await world.setTime(worldStart + 59_999);
  expect(await admitAll(replicas, principal, 10)).toBe(3);
  await world.advance(1);
  expect(await admitAll(replicas, principal, 10)).toBe(2);
  await world.setTime(worldStart + 3_599_999);
  expect(await admitAll(replicas, principal, 10)).toBe(0);
  await world.advance(1);
  expect(await admitAll(replicas, principal, 10)).toBe(3);
});

test("a replica whose clock is wrong counts in the database's window", async () => {
  const principal = createPrincipal({ perMinute: 4 });
  const fast = world.createReplica({ clock: () => world.now() + 45_000 });
  const slow = world.createReplica({ clock: () => world.now() - 45_000 });
  await world.advance(30_000);
  expect(await admitAll([fast, slow], principal, 20)).toBe(4);
  expect(await fast.admit(principal)).toMatchObject({ retryAfterSeconds: 30 });
  expect(await slow.admit(principal)).toMatchObject({ retryAfterSeconds: 30 });
});

test("the limits of a token hold beside those of its project", async () => {
  const replica = world.createReplica();
  const narrow = createPrincipal({ perMinute: 100, tokenPerMinute: 3 });
  const wide = createPrincipal({ perMinute: 100, projectUuid: narrow.project.uuid });
  expect(await admitAll([replica], narrow, 10)).toBe(3);
  expect(await admitAll([replica], wide, 200)).toBe(97);
});

test("without limits nothing is asked of the database", () => {
  const replica = world.createReplica({ databaseNow: "no_such_function()" });
  expect(replica.admit(createPrincipal())).toEqual({ admitted: true, tightest: undefined });
});

test("a limit of 0 refuses at once", () => {
  const replica = world.createReplica({ databaseNow: "no_such_function()" });
  expect(replica.admit(createPrincipal({ tokenPerHour: 0 }))).toMatchObject({
    admitted: false,
    scope: "hour",
    retryAfterSeconds: 3_600,
  });
});

test("a warm lease answers synchronously", async () => {
  const replica = world.createReplica();
  const principal = createPrincipal({ perMinute: 600, perHour: 20_000 });
  await replica.admit(principal);
  for (let at = 0; at < 3; at++) expect(replica.admit(principal)).not.toBeInstanceOf(Promise);
});

test("calls that wait for one cold key share one renewal", async () => {
  const replica = world.createReplica();
  const principal = createPrincipal({ perMinute: 600, perHour: 20_000 });
  let renewals = 0;
  const count = () => (renewals += 1);
  world.database.pool.on("acquire", count);
  expect(await admitAll([replica], principal, 50)).toBe(50);
  world.database.pool.off("acquire", count);
  expect(renewals).toBe(1);
});

test("remaining counts down by one for a single replica, regardless of requests leased ahead", async () => {
  const replica = world.createReplica();
  const principal = createPrincipal({ perMinute: 600, perHour: 20_000 });
  for (let left = 599; left > 560; left--) {
    expect(await replica.admit(principal)).toMatchObject({ tightest: { limit: 600, remaining: left } });
  }
});

test("leases of an idle replica are returned to the others", async () => {
  const [idle, busy] = [world.createReplica(), world.createReplica()];
  const principal = createPrincipal({ perHour: 600 });
  await idle.admit(principal);
  expect(await granted(`project:${principal.project.uuid}`, 3_600)).toBeGreaterThan(1);
  await world.advance(10_000);
  await idle.tick();
  expect(idle.stats().windowLeases).toBe(0);
  expect(await granted(`project:${principal.project.uuid}`, 3_600)).toBe(1);
  expect(await admitAll([busy], principal, 700)).toBe(599);
});

test("a stop returns the unused leases", async () => {
  const replica = world.createReplica();
  const principal = createPrincipal({ perMinute: 600, perHour: 20_000 });
  await replica.admit(principal);
  await replica.stop();
  expect(await granted(`project:${principal.project.uuid}`, 60)).toBe(1);
  expect(await granted(`project:${principal.project.uuid}`, 3_600)).toBe(1);
});

test("a killed replica costs a window no more than its leases", async () => {
  const [dead, alive] = [world.createReplica(), world.createReplica()];
  const principal = createPrincipal({ perHour: 600 });
  await dead.admit(principal);
  const admitted = await admitAll([alive], principal, 700);
  expect(1 + admitted).toBeLessThanOrEqual(600);
  expect(1 + admitted).toBeGreaterThanOrEqual(600 - 8);
});

test("a limit that is changed holds from the next request, for what was leased before too", async () => {
  const replica = world.createReplica();
  const projectUuid = crypto.randomUUID();
  expect(await admitAll([replica], createPrincipal({ perMinute: 600, projectUuid }), 10)).toBe(10);
  expect(await admitAll([replica], createPrincipal({ perMinute: 12, projectUuid }), 20)).toBe(2);
  expect(await admitAll([replica], createPrincipal({ perMinute: 5, projectUuid }), 20)).toBe(0);
  expect(await admitAll([replica], createPrincipal({ perMinute: 15, projectUuid }), 20)).toBe(3);
});

test("leased and unused requests end with their window", async () => {
  const replica = world.createReplica();
  const principal = createPrincipal({ perMinute: 600 });
  await replica.admit(principal);
  await world.advance(60_000);
  expect(await admitAll([replica], principal, 700)).toBe(600);
});

test("leases returned after their window has ended do not count for the next window", async () => {
  const [late, other] = [world.createReplica(), world.createReplica()];
  const projectUuid = crypto.randomUUID();
  await late.admit(createPrincipal({ perMinute: 600, projectUuid }));
  await world.advance(60_000);
  const principal = createPrincipal({ perMinute: 599, projectUuid });
  expect(await admitAll([other], principal, 700)).toBe(599);
  expect(await late.admit(principal)).toMatchObject({ admitted: false });
});
