import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
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
