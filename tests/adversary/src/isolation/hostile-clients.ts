import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A project for which a hostile client has a token. */
export interface Held {
  readonly project: string;
  readonly token: string;
}

export interface HostileJob {
  readonly url: string;
  /** Has the endpoints `plain`, `capped`, `guarded`, `shaped`, and `endless`, whose provider's stream never ends. */
  readonly chat: Held;
  readonly mcp: Held;
}

/** Runs a program of this folder as a process, and waits for its first message. */
async function startProgram(name: string, job: object): Promise<ReturnType<typeof fork>> {
  const child = fork(fileURLToPath(new URL(name, import.meta.url)), [JSON.stringify(job)], {
    execArgv: [],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await once(child, "message");
  return child;
}

/** Attacks with 64 connections of one tenant while `work` runs. */
export async function whileAttacking<T>(job: HostileJob, work: () => Promise<T>): Promise<T> {
  const child = await startProgram("hostile-process.ts", job);
  try {
    return await work();
  } finally {
    child.disconnect();
    if (child.exitCode === null) await once(child, "exit");
  }
}
