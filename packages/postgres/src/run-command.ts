import { spawn } from "node:child_process";
import type { ServerUser } from "./server-user.ts";

/** Outcome of a command. `output` is stdout and stderr together, at most {@link outputLengthMax} characters. */
interface CommandResult {
  readonly ok: boolean;
  readonly output: string;
}

const outputLengthMax = 65_536;
const commandTimeoutMs = 120_000;

/**
 * Runs a program to its end. Never rejects: a program that cannot be started is a failed result with the reason as output. The
 * working directory is the root, since the server's user may lack access to ours.
 */
export function runCommand(
  command: string,
  args: readonly string[],
  user?: ServerUser,
  timeoutMs: number = commandTimeoutMs,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    let output = "";
    const append = (chunk: string): void => {
      output = (output + chunk).slice(-outputLengthMax);
    };
    const child = spawn(command, args, {
      cwd: "/",
      env: serverEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeoutMs,
      killSignal: "SIGKILL",
      ...toSpawnIdentity(user),
    });
    child.stdout.setEncoding("utf8").on("data", append);
    child.stderr.setEncoding("utf8").on("data", append);
    child.on("error", (err) => resolve({ ok: false, output: err.message }));
    child.on("close", (exitCode) => resolve({ ok: exitCode === 0, output }));
  });
}

/** Spawn options for a user; empty for this process's. */
export function toSpawnIdentity(user: ServerUser | undefined): { readonly uid?: number; readonly gid?: number } {
  return user === undefined ? {} : { uid: user.uid, gid: user.gid };
}

/**
 * Environment of every Postgres program: no secret of the product, no `PG*` variable that would redirect it, and one language,
 * because code parses its messages.
 */
export function serverEnvironment(): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
}
