import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import process from "node:process";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** Longest time from a kill signal to the end of a process, before it is ended by force. */
const stopTimeoutMs = 12_000;

export interface Child {
  readonly process: ChildProcess;
  /** Everything the process has printed. */
  output(): string;
  /** Sends SIGTERM and waits; answers with the exit code. */
  stop(): Promise<number | null>;
}

/** Runs a built program of the workspace, with nothing of this process' environment but the path to programs. */
export function startChild(script: string, env: Readonly<Record<string, string>>, args: readonly string[] = []): Child {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: root,
    env: { PATH: process.env["PATH"], NODE_ENV: "production", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed: string[] = [];
  child.stdout.on("data", (chunk: Buffer) => printed.push(chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => printed.push(chunk.toString()));
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return {
    process: child,
    output: () => printed.join(""),
    async stop() {
      if (child.exitCode !== null) return child.exitCode;
      child.kill("SIGTERM");
      const force = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
      const code = await exited;
      clearTimeout(force);
      return code;
    },
  };
}
