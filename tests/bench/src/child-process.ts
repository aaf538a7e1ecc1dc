import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A process started by this run. Only such processes are ended, by id. */
export interface StartedProcess {
  readonly pid: number;
  readonly child: ChildProcess;
  /** Sends SIGTERM, and SIGKILL after `graceMs`. */
  readonly stop: (graceMs?: number) => Promise<void>;
}

const running = new Set<ChildProcess>();

/** Starts a process.  @throws Error when it cannot be started. */
export async function startProcess(command: readonly string[], options: SpawnOptions = {}): Promise<StartedProcess> {
  const [file = "", ...args] = command;
  const child = spawn(file, args, options);
  await once(child, "spawn");
  running.add(child);
  child.once("exit", () => running.delete(child));
  return { pid: child.pid ?? 0, child, stop: (graceMs = 5000) => stop(child, graceMs) };
}

/** Starts a process that prints `listening <port>` once it serves.  @throws Error when it ends or is silent for 10 s. */
export async function startListener(command: readonly string[]): Promise<StartedProcess & { readonly port: number }> {
  // Standard input stays open while this process lives; the children end when it closes.
  const started = await startProcess(command, { stdio: ["pipe", "pipe", "inherit"] });
  const { stdout } = started.child;
  if (!stdout) throw new Error("no standard output");
  try {
    for await (const line of createInterface({ input: stdout, signal: AbortSignal.timeout(10_000) })) {
      const [, port] = /^listening (\d+)$/.exec(line) ?? [];
      if (port !== undefined) return { ...started, port: Number(port) };
    }
  } catch (cause) {
    await started.stop();
    throw new Error(`${command.join(" ")} did not start`, { cause });
  }
  throw new Error(`${command.join(" ")} ended before it was ready`);
}

/** Runs a process to its end and returns its standard output.  @throws Error on a non-zero exit or after `timeoutMs`. */
export async function runProcess(command: readonly string[], timeoutMs: number): Promise<string> {
  const { child } = await startProcess(command, { stdio: ["ignore", "pipe", "pipe"], timeout: timeoutMs });
  const output: Buffer[] = [];
  const complaints: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => complaints.push(chunk));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (code === 0) return Buffer.concat(output).toString("utf8");
  throw new Error(
    `${command[0]} ended with ${code ?? signal}: ${Buffer.concat(complaints).toString("utf8").slice(0, 500)}`,
  );
}

/** Kills all remaining processes when this process ends. */
export function killAll(): void {
  for (const child of running) child.kill("SIGKILL");
}

async function stop(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
  await ended;
  clearTimeout(timer);
}
