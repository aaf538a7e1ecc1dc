import { type Allowances, type Reservation, windowMs, type WindowScope, windowStart } from "@gatehouse/limits";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createMessages,
  createPrincipal,
  createUsage,
  createWorld,
  type World,
  worldStart,
} from "./allowances-harness.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(async () => await world.close());

const seed = 20_261_121;
const replicaCount = 3;
const replicaAt = fc.nat(replicaCount - 1);

/** Small steps, and steps past a lease's life and the ends of a minute, an hour and a month. */
const step = fc.constantFrom(1, 250, 999, 3_000, 6_999, 10_000, 60_000, 3_600_000);

interface System {
  readonly replicas: Allowances[];
  /** Replaces a replica by another one; it is heard of no more. */
  readonly kill: (at: number) => void;
}

/** Replicas that recall budgets from each other. */
function createSystem(): System {
  const bus = createMessages();
  const places = Array.from({ length: replicaCount }, () => bus.join());
  const replicas = places.map(({ messages }) => world.createReplica({ messages }));
  return {
    replicas,
    kill(at) {
      places[at]?.leave();
      const place = bus.join();
      places[at] = place;
      replicas[at] = world.createReplica({ messages: place.messages });
    },
  };
}

function pick<T>(items: readonly T[], at: number): T {
  const item = items[at % items.length];
  if (item === undefined) throw new Error("There is nothing to pick from.");
  return item;
}

/* Rate limits */

interface RateModel {
  /** Admitted requests by window. */
  readonly admitted: Map<string, number>;
  readonly principals: readonly ReturnType<typeof createPrincipal>[];
}

type RateCommand = fc.AsyncCommand<RateModel, System>;

function countAdmitted({ admitted }: RateModel, principal: ReturnType<typeof createPrincipal>): void {
  const count = (subject: string, scope: WindowScope, limit: number | null) => {
    if (limit === null) return;
    const key = `${subject} ${scope} ${windowStart(scope, world.now())}`;
    const total = (admitted.get(key) ?? 0) + 1;
    admitted.set(key, total);
    expect(total, `${key} admits at most ${limit}`).toBeLessThanOrEqual(limit);
  };
  const { project, rateLimits, tokenId } = principal;
  count(project.uuid, "minute", project.rateLimits.perMinute);
  count(project.uuid, "hour", project.rateLimits.perHour);
  count(String(tokenId), "minute", rateLimits.perMinute);
  count(String(tokenId), "hour", rateLimits.perHour);
}

type Burst = readonly [replica: number, principal: number, count: number];

class AdmitBurst implements RateCommand {
  readonly bursts: readonly Burst[];
  readonly ticking: number;

  constructor(bursts: readonly Burst[], ticking: number) {
    this.bursts = bursts;
    this.ticking = ticking;
  }

  check(): boolean {
    return true;
  }

  async run(model: RateModel, { replicas }: System): Promise<void> {
    const tick = pick(replicas, this.ticking).tick();
    const calls = this.bursts.flatMap(([replica, principal, count]) => {
      const who = pick(model.principals, principal);
      return Array.from({ length: count }, async () => {
        const admission = await pick(replicas, replica).admit(who);
        if (admission.admitted) countAdmitted(model, who);
        else expect(admission.retryAfterSeconds * 1_000).toBeLessThanOrEqual(windowMs[admission.scope]);
      });
    });
    await Promise.all([tick, ...calls]);
  }

  toString(): string {
    return `admit(${JSON.stringify(this.bursts)}) while ${this.ticking} ticks`;
  }
}

class Advance implements fc.AsyncCommand<object, System> {
  readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }

  check(): boolean {
    return true;
  }

  async run(): Promise<void> {
    await world.advance(this.ms);
  }

  toString(): string {
    return `advance(${this.ms})`;
  }
}

class Kill implements fc.AsyncCommand<object, System> {
  readonly replica: number;

  constructor(replica: number) {
    this.replica = replica;
  }

  check(): boolean {
    return true;
  }

  async run(_model: object, { kill }: System): Promise<void> {
    kill(this.replica);
    await Promise.resolve();
  }

  toString(): string {
    return `kill(${this.replica})`;
  }
}

test("no window ever admits more than its limit, for any actions and ends of replicas", async () => {
  const admit = fc
    .tuple(
      fc.array(fc.tuple(replicaAt, fc.nat(2), fc.integer({ min: 1, max: 40 })), { minLength: 1, maxLength: 6 }),
      replicaAt,
    )
    .map(([bursts, ticking]) => new AdmitBurst(bursts, ticking));
  const commands = fc.commands<RateModel, System, false>(
    [admit, admit, step.map((ms) => new Advance(ms)), replicaAt.map((replica) => new Kill(replica))],
    { maxCommands: 30 },
  );
  const limit = fc.constantFrom(1, 5, 40, 70, 130);
  const limits = fc.tuple(limit, fc.constantFrom(10, 200, 400), limit);
  const property = fc.asyncProperty(commands, limits, async (run, [perMinute, perHour, tokenPerMinute]) => {
    await world.setTime(worldStart + 59_000);
    const projectUuid = crypto.randomUUID();
    const principals = [
      createPrincipal({ projectUuid, perMinute, perHour }),
      createPrincipal({ projectUuid, perMinute, perHour, tokenPerMinute }),
      createPrincipal({ tokenPerHour: perMinute }),
    ];
    await fc.asyncModelRun(() => ({ model: { admitted: new Map(), principals }, real: createSystem() }), run);
  });
  await fc.assert(property, { seed, numRuns: 100 });
}, 60_000);

/* Budgets */

interface OpenCall {
  readonly reservation: Reservation;
  readonly replica: Allowances;
  readonly openedAt: number;
  /** Settled at its estimate, because it was never ended. */
  isOverdue: boolean;
}

const overdueMs = 3_600_000;

interface BudgetModel {
  readonly endpointUuid: string;
  readonly budgetMicros: number;
  open: OpenCall[];
  /** By month, cost of killed replicas in flight, or settled but not flushed: it may have been spent. */
  readonly lost: Map<string, number>;
  /** Ended calls, to be ended a second time. */
  readonly ended: OpenCall[];
  /** By month, settled costs that must reach the ledger; those of a killed replica are lost. */
  readonly queued: Map<Allowances, { readonly month: string; readonly cost: number }[]>;
  readonly flushed: Map<string, number>;
  /** Amount by which costs may exceed the reservations. */
  overrun: number;
}

type BudgetCommand = fc.AsyncCommand<BudgetModel, System>;

/** Settles in the model the calls that a tick of the replica settles. */
function settleOverdue(model: BudgetModel, replica: Allowances): void {
  for (const call of model.open) {
    if (call.replica !== replica || call.isOverdue || world.now() - call.openedAt < overdueMs) continue;
    call.isOverdue = true;
    enqueue(model, call, call.reservation.request.estimateMicros);
  }
}

function enqueue(model: BudgetModel, { replica, reservation: { month } }: OpenCall, cost: number): void {
  model.queued.set(replica, [...(model.queued.get(replica) ?? []), { month, cost }]);
}

async function flushed(model: BudgetModel, replica: Allowances): Promise<void> {
  await replica.flush();
  for (const { month, cost } of model.queued.get(replica) ?? []) {
    model.flushed.set(month, (model.flushed.get(month) ?? 0) + cost);
  }
  model.queued.set(replica, []);
}

/** Invariant: settled costs and calls in flight, also those of killed replicas, fit into the budget. */
function checkPromises(model: BudgetModel): void {
  const promised = new Map(model.flushed);
  for (const [month, micros] of model.lost) promised.set(month, (promised.get(month) ?? 0) + micros);
  const add = (month: string, micros: number) => promised.set(month, (promised.get(month) ?? 0) + micros);
  for (const costs of model.queued.values()) for (const { month, cost } of costs) add(month, cost);
  for (const { reservation, isOverdue } of model.open) {
    if (!isOverdue) add(reservation.month, reservation.request.estimateMicros);
  }
  for (const micros of promised.values()) expect(micros).toBeLessThanOrEqual(model.budgetMicros + model.overrun);
}

async function checkLedgers(model: BudgetModel): Promise<void> {
  const rows = await world.query<{
    month: string;
    spent: number;
    leased: number;
    leases: number;
    used: number;
    presumed: number;
  }>(
    `SELECT month, spent_micros::float8 AS spent, leased_micros::float8 AS leased,
       (SELECT coalesce(sum(micros), 0) FROM budget_leases l WHERE l.endpoint_uuid = g.endpoint_uuid AND l.month = g.month)::float8 AS leases,
       (SELECT coalesce(sum(cost_micros), 0) FROM usage_rows u WHERE u.endpoint_uuid = g.endpoint_uuid AND u.month = g.month)::float8 AS used,
       (SELECT coalesce(sum(cost_micros), 0) FROM usage_rows u
        WHERE u.endpoint_uuid = g.endpoint_uuid AND u.month = g.month AND outcome = 'presumed')::float8 AS presumed
     FROM budget_ledgers g WHERE endpoint_uuid = $1`,
    [model.endpointUuid],
  );
  for (const { month, spent, leased, leases, used, presumed } of rows) {
    expect(leased, "the ledger's leases are the sum of the leases").toBe(leases);
    expect(spent, "the ledger is the sum of its usage rows").toBe(used);
    expect(spent - presumed, "every settled call is in the ledger once").toBe(model.flushed.get(month) ?? 0);
    expect(spent + leased, "spent + reserved within the budget").toBeLessThanOrEqual(
      model.budgetMicros + model.overrun,
    );
  }
}

class ReserveBurst implements BudgetCommand {
  readonly burst: readonly (readonly [replica: number, estimate: number])[];
  readonly ticking: number;

  constructor(burst: readonly (readonly [number, number])[], ticking: number) {
    this.burst = burst;
    this.ticking = ticking;
  }

  check(): boolean {
    return true;
  }

  async run(model: BudgetModel, { replicas }: System): Promise<void> {
    const { endpointUuid, budgetMicros } = model;
    const request = { endpointUuid, projectUuid: endpointUuid, tokenId: 1, budgetMicros };
    const ticking = pick(replicas, this.ticking);
    settleOverdue(model, ticking);
    const tick = ticking.tick();
    const calls = this.burst.map(async ([at, estimateMicros]) => {
      const replica = pick(replicas, at);
      const result = await replica.reserve({ ...request, estimateMicros });
      if (result.ok)
        model.open.push({ reservation: result.reservation, replica, openedAt: world.now(), isOverdue: false });
    });
    await Promise.all([tick, ...calls]);
    checkPromises(model);
    await flushed(model, ticking);
    await checkLedgers(model);
  }

  toString(): string {
    return `reserve(${JSON.stringify(this.burst)}) while ${this.ticking} ticks`;
  }
}

class End implements BudgetCommand {
  readonly at: number;
  readonly how: "release" | "settle";
  /** Percent of the estimate. */
  readonly cost: number;

  constructor(at: number, how: "release" | "settle", cost: number) {
    this.at = at;
    this.how = how;
    this.cost = cost;
  }

  check({ open }: Readonly<BudgetModel>): boolean {
    return open.length > 0;
  }

  async run(model: BudgetModel): Promise<void> {
    const call = pick(model.open, this.at);
    const { reservation, replica } = call;
    model.open = model.open.filter((other) => other !== call);
    model.ended.push(call);
    const { estimateMicros } = reservation.request;
    const counted = call.isOverdue ? estimateMicros : 0;
    if (this.how === "release") {
      expect(replica.release(reservation)).toBe(true);
      enqueue(model, call, -counted);
      return;
    }
    const cost = Math.round((estimateMicros * this.cost) / 100);
    model.overrun += Math.max(0, cost - estimateMicros);
    expect(replica.settle(reservation, createUsage(cost))).toBe(true);
    enqueue(model, call, cost - counted);
  }

  toString(): string {
    return `${this.how}(${this.at}, ${this.cost} %)`;
  }
}

class EndAgain implements BudgetCommand {
  readonly at: number;

  constructor(at: number) {
    this.at = at;
  }

  check({ ended }: Readonly<BudgetModel>): boolean {
    return ended.length > 0;
  }

  async run({ ended }: BudgetModel): Promise<void> {
    const { replica, reservation } = pick(ended, this.at);
    expect(replica.settle(reservation, createUsage(1_000))).toBe(false);
  }

  toString(): string {
    return `end again(${this.at})`;
  }
}

class Flush implements BudgetCommand {
  check(): boolean {
    return true;
  }

  async run(model: BudgetModel, { replicas }: System): Promise<void> {
    await Promise.all(replicas.map(async (replica) => await flushed(model, replica)));
    await checkLedgers(model);
  }

  toString(): string {
    return "flush";
  }
}

class TickAll implements BudgetCommand {
  check(): boolean {
    return true;
  }

  async run(model: BudgetModel, { replicas }: System): Promise<void> {
    for (const replica of replicas) settleOverdue(model, replica);
    await Promise.all(replicas.map(async (replica) => await replica.tick()));
    for (const replica of replicas) await flushed(model, replica);
    await checkLedgers(model);
  }

  toString(): string {
    return "tick";
  }
}

class KillBudget implements BudgetCommand {
  readonly replica: number;

  constructor(replica: number) {
    this.replica = replica;
  }

  check(): boolean {
    return true;
  }

  async run(model: BudgetModel, { replicas, kill }: System): Promise<void> {
    const dead = pick(replicas, this.replica);
    const lose = (month: string, micros: number) => model.lost.set(month, (model.lost.get(month) ?? 0) + micros);
    for (const { replica, reservation, isOverdue } of model.open) {
      if (replica === dead && !isOverdue) lose(reservation.month, reservation.request.estimateMicros);
    }
    for (const { month, cost } of model.queued.get(dead) ?? []) lose(month, cost);
    model.open = model.open.filter(({ replica }) => replica !== dead);
    model.queued.delete(dead);
    kill(this.replica);
    await Promise.resolve();
  }

  toString(): string {
    return `kill(${this.replica})`;
  }
}

/** Ends all calls; then nothing may stay reserved. */
async function quiesce(model: BudgetModel, system: System): Promise<void> {
  for (const call of model.open) {
    call.replica.release(call.reservation);
    if (call.isOverdue) enqueue(model, call, -call.reservation.request.estimateMicros);
  }
  model.open = [];
  await new TickAll().run(model, system);
  await world.advance(10_000);
  await new TickAll().run(model, system);
  const leases = await world.query("SELECT * FROM budget_leases WHERE endpoint_uuid = $1", [model.endpointUuid]);
  expect(leases, "no reservation is stranded").toEqual([]);
  expect(await pick(system.replicas, 0).findLedgerDifferences()).toEqual([]);
}

test("spent + reserved stays within the budget, every call settles once, and a killed replica's reservations are released", async () => {
  const burst = fc.array(fc.tuple(replicaAt, fc.integer({ min: 0, max: 3_000 })), { minLength: 1, maxLength: 12 });
  const reserve = fc.tuple(burst, replicaAt).map(([calls, ticking]) => new ReserveBurst(calls, ticking));
  const cost = fc.constantFrom(0, 10, 50, 100, 100, 100, 130);
  const end = fc.tuple(fc.nat(50), fc.constantFrom("release" as const, "settle" as const, "settle" as const), cost);
  const commands = fc.commands<BudgetModel, System, false>(
    [
      reserve,
      reserve,
      end.map(([at, how, percent]) => new End(at, how, percent)),
      end.map(([at, how, percent]) => new End(at, how, percent)),
      fc.nat(50).map((at) => new EndAgain(at)),
      fc.constant(new Flush()),
      fc.constant(new TickAll()),
      step.map((ms) => new Advance(ms)),
      replicaAt.map((replica) => new KillBudget(replica)),
    ],
    { maxCommands: 40 },
  );
  const budget = fc.constantFrom(0, 1, 1_000, 10_000, 50_000);
  const property = fc.asyncProperty(commands, budget, async (run, budgetMicros) => {
    await world.setTime(Date.parse("2026-03-31T23:59:50Z"));
    const model: BudgetModel = {
      endpointUuid: crypto.randomUUID(),
      budgetMicros,
      open: [],
      lost: new Map(),
      ended: [],
      queued: new Map(),
      flushed: new Map(),
      overrun: 0,
    };
    const real = createSystem();
    await fc.asyncModelRun(() => ({ model, real }), run);
    await quiesce(model, real);
  });
  await fc.assert(property, { seed, numRuns: 100 });
}, 60_000);
