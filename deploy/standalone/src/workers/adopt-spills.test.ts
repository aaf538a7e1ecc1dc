import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { adoptSpills } from "./adopt-spills.ts";

const folder = mkdtempSync(join(tmpdir(), "gatehouse-spills-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("rows of workers are moved beside those of the product, and none is written over", async () => {
  for (const worker of ["worker-1-1", "worker-2-1"]) {
    mkdirSync(join(folder, worker, "gateway-log"), { recursive: true });
    writeFileSync(join(folder, worker, "usage-1-x.jsonl"), worker);
    writeFileSync(join(folder, worker, "gateway-log", "gateway-log-batches.open"), worker);
  }
  await adoptSpills(folder);
  expect(readdirSync(folder).sort()).toEqual([
    "gateway-log",
    "usage-1-x-worker-1-1.jsonl",
    "usage-1-x-worker-2-1.jsonl",
  ]);
  expect(readdirSync(join(folder, "gateway-log")).sort()).toEqual([
    "gateway-log-batches-worker-1-1.open",
    "gateway-log-batches-worker-2-1.open",
  ]);
});

test("without a folder there is nothing to move", async () => {
  await adoptSpills(join(folder, "absent"));
});
