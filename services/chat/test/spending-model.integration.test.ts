import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { LightAbort } from "@gatehouse/async";
import { type ChatRequest, GeneratedText } from "@gatehouse/dialects";
import { FirstTokenTimeout, type ResolvedTarget } from "@gatehouse/failover";
import type { Allowances } from "@gatehouse/limits";
import { loadPriceBook, ProviderHealth } from "@gatehouse/providers";
import { resolveUsage } from "@gatehouse/spending";
import { untraced } from "@gatehouse/telemetry";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Admitted, Answered, Received } from "../src/app/call.ts";
import { type Pipeline, runPipeline, type RunningCall, type Step, StepList } from "../src/app/pipeline.ts";
import { createBodyStep } from "../src/app/steps/body.ts";
import { createBudgetStep } from "../src/app/steps/budget.ts";
import { createPromptStep } from "../src/app/steps/prompt.ts";
import { createProviderStep } from "../src/app/steps/provider.ts";
import type { CompiledEndpoint } from "../src/domain/endpoint.ts";
import { createPrincipal, createWorld, type World, worldStart } from "./allowances-harness.ts";
import { ProviderCharges, charactersPerToken, createHostileProvider, type Job, prices } from "./spending-provider.ts";
import { createRandom, type Random } from "./spending-random.ts";

/**
 * Random schedules of calls against a hostile provider, with the product's steps and ledger. A round is one sequence of clock
 * steps, ticks and kills for many schedules, each with a separate endpoint, budget and calls. `SPENDING_SCHEDULES` sets their
 * number and `SPENDING_SEED` the seed; 10,000 take some minutes.
 */
const schedules = Number(process.env["SPENDING_SCHEDULES"] ?? 200);
const schedulesPerRound = 20;
const callsPerSchedule = 100;
const replicaCount = 3;
const phases = 5;
const seed = Number(process.env["SPENDING_SEED"] ?? 20_261_122);

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(async () => await world.close());

/** A replica; once killed, nothing of it reaches the ledger. */
class Replica {
  readonly allowances: Allowances = world.createReplica();
  readonly inFlight = new Map<string, Job["inFlight"]>();
  isDead = false;
}

/** Barrier for the phases of the round. */
class Phases {
  #phase = 0;
  #waiting: { readonly phase: number; readonly resolve: () => void }[] = [];

  readonly reach = async (phase: number): Promise<void> => {
    if (phase <= this.#phase) return;
    await new Promise<void>((resolve) => this.#waiting.push({ phase, resolve }));
  };

  next(): void {
    this.#phase += 1;
    const due = this.#waiting.filter(({ phase }) => phase <= this.#phase);
    this.#waiting = this.#waiting.filter(({ phase }) => phase > this.#phase);
    for (const { resolve } of due) resolve();
  }
}

interface Round {
  readonly random: Random;
  readonly books: ProviderCharges;
  readonly phases: Phases;
  readonly replicas: Replica[];
  /** Replicas on which calls have ended; rows of a killed replica may not have reached the ledger. */
  readonly ended: Map<string, Replica>;
}

interface Schedule {
  readonly endpointUuid: string;
  readonly budgetMicros: number;
}

const book = await loadPriceBook();
const principal = createPrincipal();
/** Health of all calls; their providers' names differ, so that they do not affect one another's targets. */
const health = new ProviderHealth({ now: () => 0 });
const firstTokenTimeout = new FirstTokenTimeout(() => 0, 1);

function compile({ endpointUuid, budgetMicros }: Schedule, call: string, random: Random): CompiledEndpoint {
  const models = random.pick([["cheap"], ["dear"], ["cheap", "dear"], ["dear", "cheap"]]);
  const targets = models.map((model): ResolvedTarget => {
    const price = prices[model];
    const target = { provider: model, model, inputPricePerMillion: price?.input, outputPricePerMillion: price?.output };
    const kind = random.pick(["openai", "openai-compatible"] as const);
    const provider = `${model} ${call}`;
    return { kind: "ready", target, address: { provider, kind, baseUrl: undefined, apiKey: undefined, model } };
  });
  const endpoint = {
    uuid: endpointUuid,
    projectUuid: endpointUuid,
    monthlyBudgetMicros: budgetMicros,
    maxResponseTokens: random.chance(0.2) ? 1 + random.below(60) : null,
    parameters: random.chance(0.3) ? { max_tokens: 1 + random.below(60) } : null,
    outputSchema: null,
    systemPrompt: null,
    timeoutMs: null,
  };
  return { endpoint, targets, mayStream: true } as unknown as CompiledEndpoint;
}

function createRequest(random: Random): ChatRequest {
  const own = {
    ...(random.chance(0.4) ? { max_tokens: random.pick([-1, 1, 10, 100, 1_000]) } : {}),
    ...(random.chance(0.2) ? { n: 1 + random.below(4) } : {}),
    ...(random.chance(0.05) ? { best_of: 1 + random.below(4) } : {}),
  };
  const messages = [{ role: "user", content: "word".repeat(1 + random.below(60)) }];
  const stream = random.chance(0.5);
  return { slug: "s", messages, stream, sessionId: undefined, variables: {}, parameters: own, asSent: {} };
}

function createPipeline(compiled: CompiledEndpoint, replica: Replica, job: Job): Pipeline {
  const { allowances } = replica;
  const alive = <T>(act: () => T, dead: T): T => (replica.isDead ? dead : act());
  const setUp: Step<Received, Pick<Admitted, "compiled">> = { name: "set up", enter: () => ({ compiled }) };
  return StepList.empty
    .add(createBodyStep())
    .add(setUp)
    .add(
      createBudgetStep({
        ledger: {
          reserve: (request) => allowances.reserve(request),
          extend: async (reservation, claim) => await allowances.extend(reservation, claim),
          settle: (reservation, usage) => alive(() => allowances.settle(reservation, usage), false),
          release: (reservation) => alive(() => allowances.release(reservation), false),
        },
        loadPrices: async () => await Promise.resolve(book),
        wallNow: () => world.now(),
      }),
    )
    .add(createPromptStep())
    .add(
      createProviderStep({
        adapterFor: () => createHostileProvider(job),
        bounds: { connectMs: 1, headersMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 },
        firstTokenTimeout,
        // No time for a second round of attempts, and so no pause before it.
        deadlineMs: 60_000,
        tracing: untraced,
        health,
        now: () => -60_000,
      }),
    )
    .toPipeline(async (_call, error) => await Promise.resolve(error));
}

async function runCall(round: Round, schedule: Schedule, random: Random): Promise<void> {
  const replica = random.pick(round.replicas as [Replica, ...Replica[]]);
  await round.phases.reach(random.below(phases));
  if (replica.isDead) return;
  const call = crypto.randomUUID();
  const inFlight = replica.inFlight.get(schedule.endpointUuid) ?? new Set();
  replica.inFlight.set(schedule.endpointUuid, inFlight);
  const { books } = round;
  const { reach } = round.phases;
  const isDead = () => replica.isDead;
  const job: Job = { endpoint: schedule.endpointUuid, call, random, books, reach, phases, inFlight, isDead };
  const abort = new LightAbort();
  if (random.chance(0.15)) void round.phases.reach(random.below(phases)).then(() => abort.abort());
  const result = await runPipeline(createPipeline(compile(schedule, call, random), replica, job), {
    surface: "wrapper.chat",
    requestId: call,
    principal,
    ipAddress: "",
    span: untraced.start("test", { kind: "server" }),
    abort,
    countTexts: async (texts) =>
      await Promise.resolve(texts.map(({ length }) => Math.ceil(length / charactersPerToken))),
    read: async () => await Promise.resolve(createRequest(random)),
  });
  if (result.kind === "replying") await finish(result.running, abort.signal, random);
  round.ended.set(call, replica);
}

/** As the surfaces do. */
async function finish({ call, finish: end }: RunningCall, signal: AbortSignal, random: Random): Promise<void> {
  const { reply } = call;
  const failure = reply.kind === "stream" ? await relay(call, reply.stream.batches, { signal, random }) : undefined;
  await resolveUsage(call);
  if (signal.aborted || random.chance(0.05)) await end({ kind: "abandoned" });
  else if (failure === undefined) await end({ kind: "answered" });
  else await end({ kind: "failed", error: failure as never });
}

async function relay(
  call: Answered,
  batches: AsyncIterable<readonly Parameters<GeneratedText["add"]>[0][]>,
  { signal, random }: { readonly signal: AbortSignal; readonly random: Random },
): Promise<unknown> {
  const generated = new GeneratedText();
  let failure: unknown;
  try {
    for await (const batch of batches) {
      if (signal.aborted || random.chance(0.05)) break;
      for (const chunk of batch) generated.add(chunk);
    }
  } catch (err) {
    failure = err;
  }
  call.answer = generated.text;
  call.usage = generated.usage;
  return failure;
}

/** Other events: the clock advances, replicas tick or not, and are killed with calls in flight. */
async function happen({ random, replicas, books }: Round): Promise<void> {
  await world.advance(random.pick([1, 250, 1_000, 4_000, 9_500, 11_000, 3_600_000]));
  for (const [index, replica] of replicas.entries()) {
    if (random.chance(0.1)) {
      replica.isDead = true;
      // The provider completes its calls in progress, and charges for them.
      for (const [endpoint, entries] of replica.inFlight) {
        for (const { limitMicros } of entries) books.charge(endpoint, "", limitMicros);
        entries.clear();
      }
      replicas[index] = new Replica();
    } else if (random.chance(0.7)) {
      await Promise.all([replica.allowances.tick(), replica.allowances.flush()]);
    }
  }
}

async function runRound(random: Random, count: number): Promise<void> {
  await world.setTime(worldStart + random.pick([0, 21 * 24 * 3_600_000 + 14 * 3_600_000 - 5_000]));
  const round: Round = {
    random,
    books: new ProviderCharges(),
    phases: new Phases(),
    replicas: Array.from({ length: replicaCount }, () => new Replica()),
    ended: new Map(),
  };
  const all = Array.from({ length: count }, () => ({
    endpointUuid: crypto.randomUUID(),
    budgetMicros: random.pick([300, 3_000, 20_000, 100_000]),
  }));
  const calls = all.flatMap((schedule) =>
    Array.from({ length: callsPerSchedule }, async () => {
      await runCall(round, schedule, createRandom(random.below(2 ** 32)));
    }),
  );
  for (let phase = 0; phase < phases; phase += 1) {
    await setImmediate();
    await happen(round);
    round.phases.next();
    for (const schedule of all) await checkBooks(round, schedule);
  }
  await Promise.all(calls);
  await settleAll(round);
  for (const schedule of all) await checkBooks(round, schedule);
  await checkLedgers(round, all);
}

/** One budget for each month of the round. */
async function checkBooks({ books }: Round, { endpointUuid, budgetMicros }: Schedule): Promise<void> {
  const spent = books.spentMicros(endpointUuid);
  if (spent <= budgetMicros) return;
  const [row] = await world.query<{ months: number }>(
    "SELECT count(*)::int AS months FROM budget_ledgers WHERE endpoint_uuid = $1",
    [endpointUuid],
  );
  expect(spent, "spent, by the provider's books").toBeLessThanOrEqual(budgetMicros * (row?.months ?? 1));
}

async function settleAll({ replicas }: Round): Promise<void> {
  for (const ms of [0, 11_000]) {
    await world.advance(ms);
    for (const { allowances } of replicas) await allowances.flush();
    for (const { allowances } of replicas) await allowances.tick();
  }
}

interface Total {
  readonly endpoint_uuid: string;
  readonly spent: number;
  readonly leased: number;
  readonly used: number;
  readonly months: number;
}

async function checkLedgers({ books, ended }: Round, all: readonly Schedule[]): Promise<void> {
  const uuids = all.map(({ endpointUuid }) => endpointUuid);
  const totals = await world.query<Total>(
    `SELECT endpoint_uuid, sum(spent_micros)::float8 AS spent, sum(leased_micros)::float8 AS leased, count(*)::int AS months,
       (SELECT coalesce(sum(cost_micros), 0) FROM usage_rows u WHERE u.endpoint_uuid = g.endpoint_uuid)::float8 AS used
     FROM budget_ledgers g WHERE endpoint_uuid = ANY($1::uuid[]) GROUP BY endpoint_uuid`,
    [uuids],
  );
  for (const { endpoint_uuid: endpoint, spent, leased, used, months } of totals) {
    const budget = all.find(({ endpointUuid }) => endpointUuid === endpoint)?.budgetMicros ?? 0;
    expect(spent, "the ledger is the sum of its rows").toBe(used);
    expect(leased, "nothing is held when all has ended").toBe(0);
    expect(books.spentMicros(endpoint), "nothing that was charged is missing").toBeLessThanOrEqual(spent);
    expect(spent, "the ledger is within the budget").toBeLessThanOrEqual(budget * months);
  }
  const free = await world.query<{ request_id: string }>(
    "SELECT request_id FROM usage_rows WHERE endpoint_uuid = ANY($1::uuid[]) AND cost_micros = 0 AND outcome <> 'presumed'",
    [uuids],
  );
  const sent = free.filter(({ request_id: id }) => books.charged.has(id));
  expect(sent, "nothing that was sent is billed 0").toEqual([]);
  const billed = await world.query<{ request_id: string }>(
    "SELECT request_id FROM usage_rows WHERE endpoint_uuid = ANY($1::uuid[])",
    [uuids],
  );
  const rows = new Set(billed.map(({ request_id: id }) => id));
  const missing = [...books.charged].filter((call) => ended.get(call)?.isDead === false && !rows.has(call));
  expect(missing, "every call that was sent has its row").toEqual([]);
}

test(`an arbitrary provider never charges more than the budget, in ${schedules} schedules`, async () => {
  const random = createRandom(seed);
  const held = monitorEventLoopDelay();
  held.enable();
  for (let done = 0; done < schedules; done += schedulesPerRound) {
    const roundSeed = random.below(2 ** 32);
    held.reset();
    try {
      await runRound(createRandom(roundSeed), Math.min(schedulesPerRound, schedules - done));
    } catch (err) {
      // A round that blocks the event loop for longer than Postgres' time-out loses its connections.
      const longest = `its longest turn of the event loop took ${Math.round(held.max / 1e6)} ms`;
      throw new Error(`Round ${done / schedulesPerRound}, seed ${roundSeed}, ${longest}`, { cause: err });
    }
    await world.query("TRUNCATE usage_records, usage_blocks, budget_ledgers, budget_leases");
  }
}, 7_200_000);
