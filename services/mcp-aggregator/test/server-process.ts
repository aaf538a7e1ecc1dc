import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findFreePort, isListening } from "@gatehouse/ports";

const require = createRequire(import.meta.url);
const startTimeoutMs = 20_000;

/** A file of an installed package. */
export function fileOf(packageName: string, file: string): string {
  for (const folder of require.resolve.paths(packageName) ?? []) {
    const path = join(folder, packageName, file);
    if (isFile(path)) return path;
  }
  throw new Error(`${packageName} has no ${file}.`);
}

function isFile(path: string): boolean {
  try {
    require.resolve(path);
    return true;
  } catch {
    return false;
  }
}

/** A file of this folder. */
export function ownFile(file: string): string {
  return join(dirname(fileURLToPath(import.meta.url)), file);
}

export interface ServerProcess {
  readonly port: number;
  /** Kills it, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  restart(): Promise<void>;
}

/** @param toArguments returns node's arguments for a port */
export async function startServer(toArguments: (port: number) => readonly string[]): Promise<ServerProcess> {
  const port = await findFreePort();
  let child = await launch(port, toArguments(port));
  return {
    port,
    kill: async () => await end(child),
    async restart() {
      child = await launch(port, toArguments(port));
    },
  };
}

async function launch(port: number, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, args, {
    stdio: "ignore",
    env: { ...process.env, PORT: String(port), NODE_OPTIONS: "" },
    // Servers behind a bridge are grandchildren.
    detached: true,
  });
  const deadline = Date.now() + startTimeoutMs;
  while (!(await isListening(port))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await end(child);
      throw new Error(`${args.join(" ")} did not listen.`);
    }
    await sleep(50);
  }
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  process.kill(-child.pid, "SIGKILL");
  await ended;
}
