import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const runStep = new URL("../../../scripts/run-step.mjs", import.meta.url).href;
/** A step that consists of several processes, and writes the id of the last one. */
const step = `sh -c 'sleep 300 & echo $! > "$0.new"; mv "$0.new" "$0"; wait' "$PID_FILE" & wait`;
const script = `const { runStep } = await import(${JSON.stringify(runStep)});
await runStep("Building", { command: "sh", args: ["-c", ${JSON.stringify(step)}], cwd: "/", env: process.env });`;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.each([
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const)("a %s to a start during its build ends all processes of the build", async (signal, exitCode) => {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-step-"));
  const pidFile = join(folder, "pid");
  const env = { ...process.env, PID_FILE: pidFile };
  const start = spawn(process.execPath, ["--input-type=module", "--eval", script], { env, stdio: "ignore" });
  const ended = once(start, "exit");
  await expect.poll(() => existsSync(pidFile), { timeout: 20_000 }).toBe(true);
  const pid = Number(await readFile(pidFile, "utf8"));
  expect(isRunning(pid)).toBe(true);
  start.kill(signal);
  expect(await ended).toEqual([exitCode, null]);
  await expect.poll(() => isRunning(pid), { timeout: 5_000 }).toBe(false);
  await rm(folder, { recursive: true });
});
