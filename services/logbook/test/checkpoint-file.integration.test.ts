import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "@gatehouse/vault";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Checkpoint } from "../src/domain/checkpoint.ts";
import { CheckpointFile, type Compaction, type LeadsThrough } from "../src/store/checkpoint-file.ts";

const linesMax = 10;
let folder: string;
let file: CheckpointFile;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-checkpoints-"));
  file = new CheckpointFile(folder, new Secret("k".repeat(32)), linesMax);
});

afterEach(async () => await rm(folder, { recursive: true }));

const path = () => join(folder, "audit-checkpoints.jsonl");
const head = (sequence: number): Checkpoint => ({ chain: "c", sequence, hash: `h${sequence}`, at: "2026-11-28" });
const linesOnDisk = async () => (await readFile(path(), "utf8")).split("\n").filter((line) => line !== "");

const vouched = async () => await Promise.resolve(true);
/** Appends one checkpoint after the other. @returns what each rewrite has met */
async function grow(from: number, to: number, leadsThrough: LeadsThrough = vouched): Promise<readonly Compaction[]> {
  const met: Compaction[] = [];
  for (let sequence = from; sequence < to; sequence += 1) {
    await file.append([head(sequence)]);
    const compaction = await file.compact(leadsThrough);
    if (compaction !== undefined) met.push(compaction);
  }
  return met;
}

test("a rewrite keeps the latest checkpoint of each chain, and every line with an invalid signature", async () => {
  await file.append([head(1), head(2)]);
  const [first = "", second = ""] = await linesOnDisk();
  const edited = first.replace("h1", "h9");
  await writeFile(path(), `${edited}\n${second}\n`);
  const met = await grow(3, 40);
  expect(await linesOnDisk()).toContain(edited);
  expect((await linesOnDisk()).length).toBeLessThanOrEqual(linesMax);
  const { signed, unsigned } = await file.read();
  expect(signed.get("c")?.at(-1)).toEqual(head(39));
  expect(unsigned).toEqual([edited]);
  expect(new Set(met.map((each) => each.unsigned))).toEqual(new Set([1]));
});

test("a rewrite keeps every checkpoint of a chain whose rows contradict it", async () => {
  await file.append([{ ...head(3), hash: "before the rewrite" }]);
  const met = await grow(4, 40, async (...[, checkpoints]) => {
    return await Promise.resolve(checkpoints.every(({ hash }) => hash.startsWith("h")));
  });
  expect(new Set(met.flatMap(({ contradicted }) => contradicted))).toEqual(new Set(["c"]));
  const { signed } = await file.read();
  expect(signed.get("c")?.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 37 }, (_, at) => at + 3));
});

test("a rewrite that cannot read the rows leaves the file unchanged, and is repeated", async () => {
  await file.append(Array.from({ length: linesMax + 1 }, (_, at) => head(at + 1)));
  await expect(file.compact(async () => await Promise.reject(new Error("away")))).rejects.toThrow("away");
  expect(await linesOnDisk()).toHaveLength(linesMax + 1);
  expect(await file.compact(vouched)).toEqual({ unsigned: 0, contradicted: [] });
  expect([...(await file.read()).signed.values()]).toEqual([[head(linesMax + 1)]]);
});

test("more unsigned lines than the file's bound do not make each append a rewrite", async () => {
  const foreign = Array.from({ length: 3 * linesMax }, (_, at) => JSON.stringify({ chain: "c", sequence: at }));
  await writeFile(path(), `${foreign.join("\n")}\n`);
  expect(await grow(1, 21)).toEqual([{ unsigned: foreign.length, contradicted: [] }]);
  expect((await file.read()).unsigned).toEqual(foreign);
});
