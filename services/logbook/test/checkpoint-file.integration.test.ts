import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "@gatehouse/vault";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Checkpoint } from "../src/domain/checkpoint.ts";
import { CheckpointFile } from "../src/store/checkpoint-file.ts";

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

test("a rewrite keeps the latest checkpoint of each chain, and every line whose signature does not hold", async () => {
  await file.append([head(1), head(2)]);
  const [first = "", second = ""] = await linesOnDisk();
  const edited = first.replace("h1", "h9");
  await writeFile(path(), `${edited}\n${second}\n`);
  const met: number[] = [];
  for (let sequence = 3; sequence < 40; sequence += 1) met.push(await file.append([head(sequence)]));
  expect(await linesOnDisk()).toContain(edited);
  expect((await linesOnDisk()).length).toBeLessThanOrEqual(linesMax);
  const { latest, unsigned } = await file.read();
  expect([...latest.values()]).toEqual([head(39)]);
  expect(unsigned).toEqual([edited]);
  expect(new Set(met)).toEqual(new Set([0, 1]));
});

test("more lines without a signature than a file has room for do not make each append a rewrite", async () => {
  const foreign = Array.from({ length: 3 * linesMax }, (_, at) => JSON.stringify({ chain: "c", sequence: at }));
  await writeFile(path(), `${foreign.join("\n")}\n`);
  const met: number[] = [];
  for (let sequence = 1; sequence <= 20; sequence += 1) met.push(await file.append([head(sequence)]));
  expect(met.filter((unsigned) => unsigned > 0)).toEqual([foreign.length]);
  expect((await file.read()).unsigned).toEqual(foreign);
});
