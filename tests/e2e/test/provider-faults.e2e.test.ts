import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { send } from "../src/chat-client.ts";
import { ControlPlaneClient, createProject, uniqueName } from "../src/control-plane-client.ts";
import { startStandalone } from "../src/product.ts";
import { fail, ScriptedProvider, silence } from "../src/scripted-provider.ts";
import { faults, type Mode, type Setup, timeoutMs } from "./faults/fault-cases.ts";
import {
  type FaultCase,
  type FaultWorld,
  judgeBill,
  type Observation,
  readUsage,
  runCase,
  surfaces,
} from "./faults/fault-run.ts";
import { voices, whole } from "./faults/fault-scripts.ts";
import { findProblems, formatScorecard, isLate, type Score } from "./faults/scorecard.ts";

const root = new URL("../../../", import.meta.url);
const scorecardInDocs = fileURLToPath(new URL("docs/failover-scorecard.md", root));
const results = new URL(".results/", root);

const modes: readonly Mode[] = ["json", "stream"];
const setups: readonly Setup[] = ["with a backup", "alone"];

const cases: readonly FaultCase[] = surfaces.flatMap((surface) =>
  faults.flatMap((fault) =>
    modes.flatMap((mode) =>
      setups.flatMap((setup) => {
        const expected = fault.expected[mode]?.[setup];
        return expected === undefined ? [] : [{ surface, fault, mode, setup, expected }];
      }),
    ),
  ),
);

/** Concurrent cases: waiting is cheap, and the bounds on times must hold on a small machine. */
const concurrency = 6;
/** Observations of a case that is late, without concurrent ones: other work delays one, a wrong wait all of them. */
const observationsMax = 4;

let world: FaultWorld;

beforeAll(async () => {
  const product = await startStandalone();
  const control = new ControlPlaneClient(product);
  const limits = { rate_limit_per_minute: null, rate_limit_per_hour: null };
  const chat = await createProject(control, limits);
  const wrapper = await createProject(control, { type: "ai_wrapper", ...limits });
  world = { product, control, projects: { chat, wrapper } };
});

afterAll(async () => await world.product.stop());

describe("provider faults", () => {
  let scores: readonly Score[];

  beforeAll(async () => {
    await warmUp();
    scores = await scoreAll();
    const table = formatScorecard(scores, { withTimes: true });
    await mkdir(results, { recursive: true });
    await writeFile(new URL("failover-scorecard.md", results), table);
    console.log(`\n${table}`);
  });

  const titled = cases.map(({ surface, fault: { name }, mode, setup }, index) => ({
    surface,
    name,
    mode,
    setup,
    index,
  }));

  test.each(titled)("$surface, $name: $mode, $setup", ({ index }) => {
    expect(scores[index]?.problems).toEqual([]);
  });

  test("the scorecard in the docs is what these cases give (after a change: vitest -u)", async () => {
    await expect(`${preface}\n${formatScorecard(scores, { withTimes: false })}`).toMatchFileSnapshot(scorecardInDocs);
  });
});

const preface = `# Failover scorecard

This page shows what a client saw in each fault; \`tests/e2e/test/provider-faults.e2e.test.ts\` writes it. failover.md explains the rules.
"Whole" is a call answered in one piece, "backup" has a healthy second target, "alone" has none.
`;

/** The first stream that breaks off loads the tokenizer, which takes 0.2 s once per process. */
async function warmUp(): Promise<void> {
  const fault = faults.find(({ expected }) => expected.stream?.alone?.bills.includes("estimate"));
  const expected = fault?.expected.stream?.alone;
  if (fault === undefined || expected === undefined) throw new Error("There is no fault to warm up with.");
  await runCase(world, { surface: "chat", fault, mode: "stream", setup: "alone", expected });
}

async function scoreAll(): Promise<readonly Score[]> {
  const waiting = [...cases.entries()];
  const observed: Observation[] = [];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, item] = next;
      observed[index] = await runCase(world, item);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  for (const [index, seen] of observed.entries()) {
    const item = cases[index];
    if (item !== undefined) observed[index] = await observeInTime(item, seen);
  }
  const due = cases.flatMap(({ expected }) => expected.bills).filter((bill) => bill !== "nothing").length;
  const endpoints = observed.map(({ endpoint }) => endpoint);
  const usage = await readUsage(world, endpoints, due);
  return cases.flatMap((item, index) => {
    const seen = observed[index];
    if (seen === undefined) return [];
    const bill = judgeBill(item.expected.bills, usage.get(seen.endpoint));
    const problems = [...findProblems(item.expected, seen), ...(bill === undefined ? [] : [bill])];
    return [{ case: item, observed: seen, problems }];
  });
}

/** Repeats a late case alone. */
async function observeInTime(item: FaultCase, first: Observation): Promise<Observation> {
  let seen = first;
  for (let times = 1; times < observationsMax && isLate(item.expected, seen); times += 1) {
    seen = await runCase(world, item);
  }
  return seen;
}

test("a provider that keeps failing is skipped until its credential changes, and an operation shows it", async () => {
  const [primary, backup] = [await ScriptedProvider.start(), await ScriptedProvider.start()];
  const [failing, healthy] = [uniqueName("failing"), uniqueName("healthy")];
  const { control, product } = world;
  const { project, token } = world.projects.chat;
  await control.call("svc_create_provider", { name: failing, kind: "openai-compatible", base_url: primary.baseUrl });
  await control.call("svc_create_provider", { name: healthy, kind: "openai-compatible", base_url: backup.baseUrl });
  const { id } = await control.call<{ id: number }>("svc_create_credential", {
    provider: failing,
    name: "main",
    api_key: "sk-some-key-or-other",
  });
  const slug = uniqueName("endpoint");
  const targets = [failing, healthy].map((provider) => ({ provider, model: "m" }));
  await control.call("svc_create_endpoint", { project, slug, targets });
  primary.play(fail(503));
  backup.play(whole(voices.backup));
  for (let times = 1; times <= 8; times += 1) {
    const reply = await send(product, `/api/${project}/${slug}`, { token, body: { message: "x" } });
    expect(reply.body["content"]).toBe(voices.backup.words.join(""));
  }
  expect([primary.received.length, backup.received.length]).toEqual([5, 8]);
  const health = await control.call<{ providers: { provider: string }[] }>("svc_get_provider_health");
  expect(health.providers.filter(({ provider }) => provider === failing || provider === healthy)).toMatchObject([
    {
      credential_id: id,
      credential: "main",
      state: "open",
      consecutive_failures: 5,
      last_failure: "status_503",
      last_failure_at: expect.any(String),
      open_until: expect.any(String),
      resting_until: null,
    },
    { credential_id: null, state: "closed", consecutive_failures: 0, last_failure: null, open_until: null },
  ]);
  const metrics = await (await fetch(`${product.operationsUrl}/metrics`)).text();
  expect(metrics).toContain(`gatehouse_chat_provider_circuit_state{provider="${failing}",state="open"} 1`);
  expect(metrics).toContain(`gatehouse_chat_provider_circuit_transitions_total{provider="${failing}",to="open"} 1`);
  primary.play(whole(voices.primary));
  await control.call("svc_set_credential_active", { credential_id: id, is_active: false });
  await control.call("svc_create_credential", { provider: failing, name: "next", api_key: "sk-another-key" });
  const renewed = await send(product, `/api/${project}/${slug}`, { token, body: { message: "x" } });
  expect(renewed.body["content"]).toBe(voices.primary.words.join(""));
  const anew = await control.call<{ providers: { provider: string }[] }>("svc_get_provider_health");
  expect(anew.providers.find(({ provider }) => provider === failing)).toMatchObject({
    credential: "next",
    state: "closed",
    consecutive_failures: 0,
    last_failure: null,
  });
  await Promise.all([primary.stop(), backup.stop()]);
});

test("each of several silent targets is abandoned at its time-out", async () => {
  const silent = await ScriptedProvider.start();
  const { control, product } = world;
  const { project, token } = world.projects.chat;
  silent.play(silence);
  const names = [uniqueName("silent"), uniqueName("silent")];
  for (const name of names) {
    await control.call("svc_create_provider", { name, kind: "openai-compatible", base_url: silent.baseUrl });
  }
  const targets = names.map((provider) => ({ provider, model: "m" }));
  const slug = uniqueName("endpoint");
  await control.call("svc_create_endpoint", { project, slug, targets, timeout_ms: timeoutMs });
  const begunAt = performance.now();
  const reply = await send(product, `/api/${project}/${slug}`, { token, body: { message: "x" } });
  const tookMs = performance.now() - begunAt;
  expect([reply.status, silent.received.length]).toEqual([502, 2]);
  expect(tookMs).toBeLessThan(2 * timeoutMs + 250);
  expect(JSON.stringify(reply.body)).not.toContain(names[0]);
  await silent.stop();
});
