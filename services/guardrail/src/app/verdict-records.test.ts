import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { ComparisonCounts } from "../domain/findings/compare-verdicts.ts";
import type { RecordedFinding } from "../domain/findings/recorded-finding.ts";
import { compilePolicyWith } from "../domain/policy/compile-given-policy.ts";
import { inspect } from "../domain/policy/inspect.ts";
import type { JudgeOptions } from "../domain/policy/judge.ts";
import { loadModel } from "../model-file.ts";
import { VerdictRecords } from "./verdict-records.ts";

const owner = { projectUuid: "p", endpointUuid: "e" };

function setup() {
  const world = {
    findings: [] as RecordedFinding[],
    comparisons: [] as (readonly [string, ComparisonCounts])[],
    dropped: 0,
    failures: 0,
    isAway: false,
    judgedFor: [] as JudgeOptions[],
    hold: undefined as Promise<void> | undefined,
  };
  const records = new VerdictRecords({
    judge: (policy, request, options) => {
      world.judgedFor.push(options);
      return inspect(policy, request);
    },
    storeFindings: async (findings) => {
      await world.hold;
      if (world.isAway) throw new Error("away");
      world.findings.push(...findings);
      return await Promise.resolve();
    },
    storeComparison: async ({ placeUuid }, counts) => {
      world.comparisons.push([placeUuid, counts]);
      return await Promise.resolve();
    },
    onDropped: () => (world.dropped += 1),
    onFailure: () => (world.failures += 1),
  });
  const record = (document: object, text: string) => {
    const policy = compilePolicyWith(document, loadModel());
    const request = { side: "input", texts: [{ role: "user", text }] } as const;
    records.record({ owner, policy, request, verdict: inspect(policy, request) });
  };
  return { world, records, record };
}

const masking = { pii: { mode: "mask", entities: ["email"] } };

test("findings are stored as the policy allows, with the action taken", async () => {
  const { world, records, record } = setup();
  record({ ...masking, findings: "excerpts" }, "I am ann@example.com.");
  record({ keywords: ["falcon"] }, "a falcon");
  record({ keywords: ["falcon"], findings: "off" }, "a falcon");
  record(masking, "nothing");
  await records.store();
  expect(world.findings.map(({ detector, action, excerpt }) => [detector, action, excerpt])).toEqual([
    ["pii", "masked", "I am [E-Mail]."],
    ["keyword", "blocked", undefined],
  ]);
});

test("the findings of a call, and those waiting for a project, are bounded", async () => {
  const { world, records, record } = setup();
  record(masking, "ann@example.com ".repeat(50));
  await records.store();
  expect(world.findings).toHaveLength(5);
  for (let count = 0; count < 60; count += 1) record(masking, "ann@example.com ".repeat(50));
  await records.store();
  expect([world.findings.length, world.dropped]).toEqual([205, 20]);
});

test("a policy on trial is compared with the policy in force, and decides nothing", async () => {
  const { world, records, record } = setup();
  const document = { ...masking, shadow: { keywords: ["falcon"], pii: { mode: "off" } } };
  for (const text of ["nothing", "a falcon", "ann@example.com"]) record(document, text);
  await nextTurn();
  await nextTurn();
  await records.store();
  // None of the turns that calls of its project have, and no other project learns by its speed what was judged before.
  const judgedFor = { project: owner.projectUuid, tenant: "policies on trial" };
  expect(world.judgedFor).toEqual([judgedFor, judgedFor, judgedFor]);
  const counts = { calls: 3, same: 1, newlyBlocked: 1, noLongerMasked: 1 };
  expect(world.comparisons).toEqual([["e", expect.objectContaining(counts) as object]]);
});

test("records that cannot be stored are dropped and logged, and the next batch is stored", async () => {
  const { world, records, record } = setup();
  world.isAway = true;
  record(masking, "ann@example.com");
  await records.store();
  world.isAway = false;
  record(masking, "ann@example.com");
  await records.store();
  expect([world.failures, world.findings.length]).toEqual([1, 1]);
});

test("batches wait within their bound while one is stored, and the last is stored at the end", async () => {
  const { world, records, record } = setup();
  let release = () => {};
  world.hold = new Promise((resolve) => (release = resolve));
  record(masking, "ann@example.com");
  const stores = [records.store()];
  for (let round = 0; round < 300; round += 1) {
    record(masking, "ann@example.com");
    stores.push(records.store());
  }
  expect(world.dropped).toBe(100);
  const stopped = records.stop();
  release();
  await Promise.all([...stores, stopped]);
  expect(world.findings).toHaveLength(201);
});

test("records wait up to a second for others, also behind a batch in progress; an idle queue has no timer", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const { world, records, record } = setup();
    records.start();
    expect(vi.getTimerCount()).toBe(0);
    let release = () => {};
    world.hold = new Promise((resolve) => (release = resolve));
    record(masking, "ann@example.com");
    await vi.advanceTimersByTimeAsync(1_000);
    record(masking, "bob@example.com");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(world.findings).toHaveLength(0);
    release();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(world.findings).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);
    await records.stop();
  } finally {
    vi.useRealTimers();
  }
});

test("an excerpt masks every match of the policy's own pattern", async () => {
  const { world, records, record } = setup();
  const patterns = [{ name: "Customer", pattern: "KN-[0-9]+", mode: "mask" }];
  record({ patterns, findings: "excerpts" }, "KN-12345 and KN-67890");
  await records.store();
  expect(world.findings.map(({ excerpt }) => excerpt)).toEqual([
    "[Customer] and [Customer]",
    "[Customer] and [Customer]",
  ]);
});

test("an excerpt masks matches of the policy's patterns, also when an earlier check blocked", async () => {
  const { world, records, record } = setup();
  const patterns = [{ name: "ticket", pattern: "TCK-[0-9]{4}", mode: "mask" }];
  record({ keywords: ["falcon"], patterns, findings: "excerpts" }, "a falcon of TCK-1234 flew");
  record({ keywords: ["falcon"], rules: [{ name: "r", when: {}, patterns }], findings: "excerpts" }, "falcon TCK-1234");
  const byPath = [{ name: "id", pattern: "[0-9]+", path: "$.id", mode: "block" }];
  record({ keywords: ["falcon"], patterns: byPath, findings: "excerpts" }, '{"id": "77", "of": "falcon"}');
  await records.store();
  expect(world.findings.map(({ excerpt }) => excerpt)).toEqual([
    "a falcon of [ticket] flew",
    "falcon [ticket]",
    undefined,
  ]);
});

test("texts that wait for policies on trial have one common bound", async () => {
  const { world, records, record } = setup();
  const trial = { shadow: { keywords: ["falcon"] } };
  for (let calls = 0; calls < 4; calls += 1) record(trial, "a".repeat(3_000_000));
  await nextTurn();
  record(trial, "a falcon");
  await nextTurn();
  await records.store();
  expect(world.comparisons).toMatchObject([["e", { calls: 5, same: 2, skipped: 2, newlyBlocked: 1 }]]);
});
