import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { runCommand } from "./run-command.ts";

const pollMs = 20;

/** Whether a process with this id exists and has not ended (a zombie has ended). */
export async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (err) {
    // EPERM: it exists and belongs to another user.
    return err instanceof Error && "code" in err && err.code === "EPERM";
  }
  const fields = await readStatFields(pid);
  return fields?.[0] !== "Z";
}

/**
 * Token that distinguishes processes with the same id at different times (also across reboots); `undefined` when there is no such
 * process.
 */
export async function readProcessToken(pid: number): Promise<string | undefined> {
  if (!(await isAlive(pid))) {
    return undefined;
  }
  const startTicks = (await readStatFields(pid))?.[19];
  if (startTicks !== undefined) {
    const bootId = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
    return `${bootId.trim()}/${startTicks}`;
  }
  const { ok, output } = await runCommand("ps", ["-o", "lstart=", "-p", String(pid)]);
  return ok ? output.trim() : undefined;
}

/** Command line of a process, arguments joined by spaces; empty when unreadable. */
export async function readCommandLine(pid: number): Promise<string> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ");
  } catch {
    const { ok, output } = await runCommand("ps", ["-o", "command=", "-p", String(pid)]);
    return ok ? output : "";
  }
}

/** Ids of the processes that a process has started and that still exist; none where the system does not say. */
export async function childrenOf(parent: number): Promise<readonly number[]> {
  const pairs = (await readParents()) ?? (await listParents());
  return pairs.flatMap(({ pid, parent: found }) => (found === parent ? [pid] : []));
}

/** Waits for the end of a process. `false` when it still runs after `timeoutMs`. */
export async function waitForEnd(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (await isAlive(pid)) {
    if (performance.now() >= deadline) {
      return false;
    }
    await delay(pollMs);
  }
  return true;
}

/** Linux: the fields of /proc/pid/stat from the state on (proc(5) field 3). The name before it may contain any character. */
async function readStatFields(pid: number): Promise<readonly string[] | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

interface ChildProcessId {
  readonly pid: number;
  readonly parent: number;
}

/** Linux: every process and its parent (proc(5) field 4); undefined elsewhere. */
async function readParents(): Promise<readonly ChildProcessId[] | undefined> {
  const names = await readdir("/proc").catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  if (pids.length === 0) return undefined;
  const toPair = async (pid: number) => ({ pid, parent: Number((await readStatFields(pid))?.[1]) });
  return await Promise.all(pids.map(toPair));
}

async function listParents(): Promise<readonly ChildProcessId[]> {
  const { ok, output } = await runCommand("ps", ["-A", "-o", "pid=,ppid="]);
  if (!ok) return [];
  const rows = output.trim().split("\n");
  return rows.map((row) => {
    const [pid, parent] = row.trim().split(/\s+/).map(Number);
    return { pid: pid ?? 0, parent: parent ?? 0 };
  });
}
