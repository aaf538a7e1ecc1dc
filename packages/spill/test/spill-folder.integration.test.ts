import { execFile } from "node:child_process";
import { appendFile, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SpillFolder } from "../src/spill-folder.ts";

const { log } = createSilentTelemetry();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-spill-"));
});
afterEach(async () => await rm(folder, { recursive: true }));

const open = (owner = "one") => new SpillFolder<number>({ folder: join(folder, "rows"), name: "rows", owner, log });
const files = async () => await readdir(join(folder, "rows")).catch(() => []);

async function replayed(spill: SpillFolder<number>, isStart = false): Promise<number[][]> {
  const batches: number[][] = [];
  await spill.replay(async (rows) => void (await Promise.resolve(batches.push([...rows]))), 2, isStart);
  return batches;
}

async function failing(spill: SpillFolder<number>, isStart = false): Promise<void> {
  const refuse = async () => await Promise.reject(new Error("still away"));
  await expect(spill.replay(refuse, 2, isStart)).rejects.toThrow("still away");
}

test("rows are replayed in batches and in order, and their file is deleted", async () => {
  const spill = open();
  await spill.append([1, 2]);
  await spill.append([3]);
  expect([spill.rowCount, spill.sizeBytes]).toEqual([3, 6]);
  expect(await replayed(spill)).toEqual([[1, 2], [3]]);
  expect([spill.rowCount, spill.sizeBytes, await files()]).toEqual([0, 0, []]);
  expect(await replayed(spill)).toEqual([]);
});

test("failed attempts keep the rows, in at most two files", async () => {
  const spill = open();
  for (let row = 1; row <= 5; row += 1) {
    await spill.append([row]);
    await failing(spill);
  }
  expect((await files()).length).toBeLessThanOrEqual(2);
  expect((await replayed(spill)).flat()).toEqual([1, 2, 3, 4, 5]);
});

test("rows of earlier processes are replayed first, also after a failed replay", async () => {
  await open().append([1]);
  await failing(open(), true);
  const second = open();
  await second.append([2]);
  await failing(second, true);
  const third = open();
  await third.append([3]);
  expect((await replayed(third, true)).flat()).toEqual([1, 2, 3]);
  expect(third.sizeBytes).toBe(0);
});

test("files closed at the same moment, or under a clock that was set back, stay separate and in order", async () => {
  using clock = vi.spyOn(Date, "now");
  for (const [row, at] of [1_790_000_000_000, 1_790_000_000_000, 1_780_000_000_000].entries()) {
    clock.mockReturnValue(at);
    const spill = open();
    await spill.append([row]);
    await failing(spill, true);
  }
  expect((await replayed(open(), true)).flat()).toEqual([0, 1, 2]);
});

test("bytes of an earlier process count from the replay on", async () => {
  await open().append([1, 2, 3]);
  const next = open();
  await failing(next, true);
  expect(next.sizeBytes).toBe(6);
});

test("files with other names are ignored, and an incomplete line does not block its file", async () => {
  const spill = open();
  await spill.append([1]);
  const [name = ""] = await files();
  await appendFile(join(folder, "rows", name), '{"half":');
  await appendFile(join(folder, "rows", "others-1.jsonl"), "9\n");
  expect((await replayed(open(), true)).flat()).toEqual([1]);
  expect(await files()).toEqual(["others-1.jsonl"]);
});

test("only the owner can read waiting rows", async () => {
  const spill = open();
  await spill.append([1]);
  const [name = ""] = await files();
  expect((await stat(join(folder, "rows", name))).mode & 0o777).toBe(0o600);
});

test("a row with line separators in its text is unchanged", async () => {
  const texts = ["\u2028", "\u2029", "\r", "\n", "\r\n", "\u0085", "\0", "ä€😀".repeat(50_000)];
  const spill = new SpillFolder<string>({ folder: join(folder, "rows"), name: "rows", owner: "one", log });
  await spill.append(texts);
  const rows: string[] = [];
  await spill.replay(async (batch) => void (await Promise.resolve(rows.push(...batch))), 2);
  expect(rows).toEqual(texts);
});

test("a row after an incomplete line of a killed process is not lost", async () => {
  await open().append([1]);
  const [name = ""] = await files();
  await appendFile(join(folder, "rows", name), "12");
  const next = open();
  await next.append([3]);
  expect((await replayed(next, true)).flat()).toEqual([1, 12, 3]);
});

/** Appends rows of a thousand characters in a process with a file size limit of 8 KiB; its writes end in the middle. */
async function appendOnFullDisk(rows: number): Promise<string> {
  const program = `
    import { SpillFolder } from ${JSON.stringify(new URL("../src/spill-folder.ts", import.meta.url).href)};
    const spill = new SpillFolder({ folder: ${JSON.stringify(join(folder, "rows"))}, name: "rows", owner: "one" });
    await spill.append(Array(${rows}).fill("x".repeat(1_000))).then(() => console.log("kept"), (err) => console.log(err.code));`;
  const node = [process.execPath, "--conditions=@gatehouse/source", "--input-type=module", "--eval", program];
  const command = ["-c", 'ulimit -f 8; exec "$@"', "bash", ...node];
  return (await promisify(execFile)("bash", command)).stdout.trim();
}

test("an append that a full disk accepts in part leaves earlier rows complete, and none of the new", async () => {
  expect(await appendOnFullDisk(3)).toBe("kept");
  const [name = ""] = await files();
  const { size } = await stat(join(folder, "rows", name));
  expect(await appendOnFullDisk(20)).toBe("EFBIG");
  expect((await stat(join(folder, "rows", name))).size).toBe(size);
  const spill = open();
  await spill.append([4]);
  expect((await replayed(spill, true)).flat()).toHaveLength(4);
});
