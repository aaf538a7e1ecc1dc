import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findFreePort } from "@gatehouse/ports";
import { compileCache } from "./child.ts";

const main = fileURLToPath(new URL("../../../deploy/services/dist/main.js", import.meta.url));
const readyTimeoutMs = 80_000;
const pollMs = 50;

/** `npm run start:services` on a prepared data folder, in which it may be started repeatedly. */
export interface ServicesCommand {
  start(env?: Readonly<Record<string, string>>): Promise<RunningServices>;
  /** Kills what still runs, and removes the data. */
  remove(): Promise<void>;
}

export interface RunningServices {
  readonly child: ChildProcess;
  /** Address of its router. */
  readonly url: string;
  readonly exited: Promise<number | null>;
  output(): string;
  /** Waits for its greeting. @throws Error with its output when it ends first */
  untilReady(): Promise<void>;
}

export async function prepareServicesCommand(): Promise<ServicesCommand> {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-services-"));
  // Postgres runs as another user when the tests run as root.
  await chmod(folder, 0o755);
  const running: ChildProcess[] = [];
  return {
    async start(env = {}) {
      const port = await findFreePort();
      const settings = { PORT: String(port), OPS_PORT: "0", GATEHOUSE_HOME: join(folder, "home"), LOG_LEVEL: "info" };
      const child = spawn(process.execPath, [main], {
        env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache, ...settings, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      running.push(child);
      let text = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
      const exited = once(child, "exit").then(([code]) => code as number | null);
      return {
        child,
        url: `http://127.0.0.1:${port}`,
        exited,
        output: () => text,
        async untilReady() {
          const until = performance.now() + readyTimeoutMs;
          while (!text.includes("is ready at")) {
            if (child.exitCode !== null || performance.now() > until) throw new Error(`It did not start:\n${text}`);
            await delay(pollMs);
          }
        },
      };
    },
    async remove() {
      for (const child of running.splice(0)) child.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface Descendant {
  readonly pid: number;
  readonly args: string;
}

/** All descendants of a process. */
export function descendantsOf(pid: number | undefined): readonly Descendant[] {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const all = lines.flatMap((line) => {
    const [, pid, parent, args = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args }];
  });
  const below = (of: number | undefined): typeof all =>
    all.filter(({ parent }) => parent === of).flatMap((each) => [each, ...below(each.pid)]);
  return below(pid).filter(({ args }) => !args.startsWith("ps "));
}

/** Whether a process is a service's, wherever the checkout is. */
export function isServiceProcess({ args }: Descendant): boolean {
  return /\/services\/[\w-]+\/dist\/main\.js/.test(args);
}

/** Environment of a process. */
export function environmentOfProcess(pid: number): Readonly<Record<string, string>> {
  const entries = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  return Object.fromEntries(
    entries
      .filter((entry) => entry.includes("="))
      .map((entry) => [entry.split("=", 1)[0], entry.slice(entry.indexOf("=") + 1)]),
  ) as Record<string, string>;
}

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
