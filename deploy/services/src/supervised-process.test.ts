import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SupervisedProcess } from "./supervised-process.ts";

test("a process is given its socket, not the one that a manager has named to the parent", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-supervised-"));
  const listenFd = openSync("/dev/null", "r");
  const script = join(folder, "show.mjs");
  writeFileSync(
    script,
    'console.log(JSON.stringify([process.env.LISTEN_FDS, process.env.LISTEN_PID ?? "none"])); setInterval(() => {}, 1e6);',
  );
  const lines: string[] = [];
  const supervised = new SupervisedProcess({
    script,
    workingFolder: folder,
    env: { LISTEN_FDS: "2", LISTEN_PID: String(process.pid) },
    listenFd,
    onLine: (line) => lines.push(line),
    onNotice: (line) => lines.push(line),
  });
  try {
    supervised.start();
    await expect.poll(() => lines, { timeout: 30_000 }).toEqual(['["1","none"]']);
  } finally {
    await supervised.stop();
    closeSync(listenFd);
    rmSync(folder, { recursive: true });
  }
});

test("a process that cannot be made is reported, counts as a failure, and is tried again until it runs", async () => {
  const parent = mkdtempSync(join(tmpdir(), "gatehouse-supervised-"));
  const folder = join(parent, "missing");
  const script = join(parent, "run.mjs");
  writeFileSync(script, 'console.log("runs"); setInterval(() => {}, 1e6);');
  const lines: string[] = [];
  const supervised = new SupervisedProcess({
    script,
    workingFolder: folder,
    env: {},
    onLine: (line) => lines.push(line),
    onNotice: (line) => lines.push(line),
  });
  try {
    supervised.start();
    await expect.poll(() => lines).toEqual(["could not be started (ENOENT); it is started again in 250 ms."]);
    expect(supervised.failures).toBe(1);
    mkdirSync(folder);
    await expect.poll(() => lines.at(-1), { timeout: 30_000 }).toBe("runs");
  } finally {
    await supervised.stop();
    rmSync(parent, { recursive: true });
  }
});

test("a stop while a process cannot be made ends at once", async () => {
  const lines: string[] = [];
  const supervised = new SupervisedProcess({
    script: "run.mjs",
    workingFolder: join(tmpdir(), "gatehouse-no-such-folder"),
    env: {},
    onLine: (line) => lines.push(line),
    onNotice: (line) => lines.push(line),
  });
  supervised.start();
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  await supervised.stop();
});
