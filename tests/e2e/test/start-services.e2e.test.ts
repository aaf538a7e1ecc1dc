import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findNatsServer } from "@gatehouse/events/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort } from "../src/product.ts";

/** Every service as a process, as `npm run start:services` runs them: Postgres and NATS of this machine, one log, one end. */

const main = fileURLToPath(new URL("../../../deploy/services/dist/main.js", import.meta.url));
const program = await findNatsServer();
let folder: string;
let home: string;
const running: ChildProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-services-"));
  // Postgres runs as another user when the tests run as root.
  await chmod(folder, 0o755);
  home = join(folder, "home");
});

afterEach(async () => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

async function start() {
  const port = await freePort();
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env["PATH"], PORT: String(port), OPS_PORT: "0", GATEHOUSE_HOME: home, LOG_LEVEL: "info" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  let text = "";
  const note = (chunk: Buffer) => (text += chunk.toString());
  child.stdout.on("data", note);
  child.stderr.on("data", note);
  const exited = once(child, "exit").then(([code]) => code as number | null);
  return { child, exited, output: () => text };
}

/** Process ids of everything below a process. */
function descendantsOf(pid: number | undefined): readonly { readonly pid: number; readonly args: string }[] {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const all = lines.flatMap((line) => {
    const [, pid, parent, args = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args }];
  });
  const below = (of: number | undefined): typeof all =>
    all.filter(({ parent }) => parent === of).flatMap((each) => [each, ...below(each.pid)]);
  return below(pid).filter(({ args }) => !args.startsWith("ps "));
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test.skipIf(program === undefined)(
  "all services start with one command, one that is killed comes back, and nothing is left after the end",
  { timeout: 120_000 },
  async () => {
    const { child, exited, output } = await start();
    await expect
      .poll(() => output().includes("is ready at") || child.exitCode !== null, { timeout: 80_000 })
      .toBe(true);
    expect(output()).toContain("is ready at");
    expect(output()).toMatch(/^ {2}svc_admin_\w+$/m);

    const curl = /curl .*$/m.exec(output())?.[0].replace("localhost", "127.0.0.1") ?? "";
    const ask = () => execFileSync("sh", ["-c", curl], { encoding: "utf8" });
    expect(JSON.parse(ask())).toMatchObject({ ok: true, content: "Echo: Hello!" });

    const started = descendantsOf(child.pid);
    const services = started.filter(({ args }) => args.includes("/services/"));
    expect(services).toHaveLength(9);
    expect(started.some(({ args }) => args.includes("nats.conf"))).toBe(true);
    // No secret stands where every user of the machine can read it.
    expect(started.map(({ args }) => args).join("\n")).not.toMatch(/svc_|SU[A-Z2-7]{20}|postgresql:/);

    const chat = services.find(({ args }) => args.includes("services/chat/"));
    process.kill(chat?.pid ?? 0, "SIGKILL");
    await expect
      .poll(() => output(), { timeout: 10_000 })
      .toContain("chat has ended with SIGKILL; it is started again");
    await expect.poll(() => ask(), { timeout: 30_000, interval: 200 }).toContain("Echo: Hello!");
    // One view of all logs, each line with its service's name.
    for (const name of ["chat", "router", "logbook"]) expect(output()).toMatch(new RegExp(`\\d ${name} +info `));

    const last = descendantsOf(child.pid);
    child.kill("SIGINT");
    expect(await exited).toBe(0);
    expect(last.filter(({ pid }) => isAlive(pid))).toEqual([]);
  },
);

test.skipIf(program === undefined)(
  "a parent that is killed leaves no service behind, and the next start has the data",
  { timeout: 150_000 },
  async () => {
    const first = await start();
    await expect
      .poll(() => first.output().includes("is ready at") || first.child.exitCode !== null, { timeout: 80_000 })
      .toBe(true);
    const services = descendantsOf(first.child.pid).filter(({ args }) => args.includes("/services/"));
    first.child.kill("SIGKILL");
    await first.exited;
    await expect.poll(() => services.filter(({ pid }) => isAlive(pid)), { timeout: 20_000 }).toEqual([]);

    const second = await start();
    await expect
      .poll(() => second.output().includes("is ready at") || second.child.exitCode !== null, { timeout: 80_000 })
      .toBe(true);
    expect(second.output()).toContain("is ready at");
    expect(second.output()).not.toMatch(/svc_admin_/);
    second.child.kill("SIGTERM");
    expect(await second.exited).toBe(0);
  },
);
