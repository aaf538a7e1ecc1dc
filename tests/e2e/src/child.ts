import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const ownRoot = fileURLToPath(new URL("../../..", import.meta.url));
/** Compile cache of the product, as `npm start` uses it: saves a fifth of a start's computation. */
export const compileCache = join(ownRoot, "node_modules", ".cache", "node-compile");
/** Longest time from a signal to the end of a process, before it is killed. */
const stopTimeoutMs = 12_000;

export interface Child {
  /** The present or last process. */
  readonly process: ChildProcess;
  /** Output of all its processes. */
  output(): string;
  /** Sends SIGTERM and waits; returns the exit code. */
  stop(): Promise<number | null>;
  /** Ends the process and runs the program again, at once. */
  restart(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
}

export interface ChildOptions {
  readonly args?: readonly string[];
  /** A listening socket from which each of its processes accepts connections. */
  readonly listenFd?: number | undefined;
  /** Folder of the program's checkout; default: this one. */
  readonly root?: string | undefined;
}

/** Runs a built program of the workspace, with an environment of `PATH` alone. */
export function startChild(
  script: string,
  env: Readonly<Record<string, string>>,
  { args = [], listenFd, root = ownRoot }: ChildOptions = {},
): Child {
  const printed: string[] = [];
  const run = () => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: root,
      env: {
        PATH: process.env["PATH"],
        NODE_ENV: "production",
        NODE_COMPILE_CACHE: compileCache,
        ...env,
        ...(listenFd === undefined ? {} : { LISTEN_FDS: "1" }),
      },
      stdio: ["ignore", "pipe", "pipe", ...(listenFd === undefined ? [] : [listenFd])],
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => printed.push(chunk.toString()));
    return { child, exited: new Promise<number | null>((resolve) => child.once("exit", resolve)) };
  };
  let current = run();
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    const { child, exited } = current;
    if (child.exitCode !== null) return child.exitCode;
    child.kill(signal);
    const force = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
    const code = await exited;
    clearTimeout(force);
    return code;
  };
  return {
    get process() {
      return current.child;
    },
    output: () => printed.join(""),
    stop: async () => await end("SIGTERM"),
    async restart(signal = "SIGTERM") {
      await end(signal);
      current = run();
    },
  };
}
