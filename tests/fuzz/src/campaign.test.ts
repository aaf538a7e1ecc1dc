import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Campaign, type CampaignResult } from "./campaign.ts";
import { Corpus } from "./corpus.ts";
import { Coverage } from "./coverage.ts";
import { Random } from "./random.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-fuzz-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function fuzz(run: (bytes: Buffer) => unknown): Promise<CampaignResult> {
  const target = { name: "test", seeds: ['{"a":1}'], run, isDeclared: (err: unknown) => err instanceof SyntaxError };
  const corpus = new Corpus(join(folder, "none"), target.seeds);
  const coverage = new Coverage((url) => url.includes("campaign.test"));
  const campaign = new Campaign({ target, corpus, coverage, random: new Random(11), collectGarbage: () => {} });
  const result = await campaign.run(performance.now() + 1_500);
  coverage.stop();
  return result;
}

function squaredWork(length: number): number {
  let sum = 0;
  for (let outer = 0; outer < length; outer += 1) for (let inner = 0; inner < length; inner += 1) sum += inner ^ outer;
  return sum;
}

test("a parser that throws only declared errors has no findings", async () => {
  const { executions, findings } = await fuzz((bytes) => JSON.parse(bytes.toString()));
  expect(findings).toEqual([]);
  expect(executions).toBeGreaterThan(100);
});

test("an undeclared error is a finding, with its input", async () => {
  const { findings } = await fuzz((bytes) => {
    if (bytes.includes("}}")) throw new TypeError("unforeseen");
  });
  expect(findings[0]).toMatchObject({ kind: "throws", detail: expect.stringContaining("unforeseen") });
  expect(findings[0]?.input.includes("}}")).toBe(true);
});

test("work that grows with the square of the size is a finding", async () => {
  const { findings } = await fuzz((bytes) => squaredWork(bytes.length / 16));
  expect(findings.map(({ kind }) => kind)).toContain("grows");
}, 60_000);
