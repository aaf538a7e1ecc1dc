import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** CPU time and memory of a system under test at one time. */
export interface Usage {
  /** Nanoseconds of CPU by process id: the product's own processes, and its database's. */
  readonly productCpuNs: ReadonlyMap<number, number>;
  readonly databaseCpuNs: ReadonlyMap<number, number>;
  /** Names of the product's processes: the service, or the program. */
  readonly names: ReadonlyMap<number, string>;
  /** Resident memory of the product's own processes, by process id. */
  readonly memoryBytes: ReadonlyMap<number, number>;
}

/** Where to find a system's processes. */
export interface ProcessGroup {
  /** Root of the process tree. */
  readonly rootPid: number;
  /** A folder with the `postmaster.pid` of a detached Postgres. */
  readonly home?: string | undefined;
}

/** Whether this platform has `/proc`. */
export const canReadUsage = existsSync("/proc/self/stat");

/** Reads the usage of a process tree, with Postgres separately. Ended processes do not count. Undefined without `/proc`. */
export function readUsage({ rootPid, home }: ProcessGroup): Usage | undefined {
  if (!canReadUsage) return undefined;
  const all = readProcesses();
  const postmaster = home === undefined ? undefined : findPostmaster(home, 4);
  const tree = descendants(all, [rootPid, ...(postmaster === undefined ? [] : [postmaster])]);
  const [databases, products] = partition(tree, ({ name }) => name.startsWith("postgres"));
  return {
    productCpuNs: new Map(products.map(({ pid }) => [pid, cpuNs(pid)])),
    databaseCpuNs: new Map(databases.map(({ pid }) => [pid, cpuNs(pid)])),
    names: new Map(
      products.map(({ pid, name }) => [pid, roleOfCommand(readIfPresent(`/proc/${pid}/cmdline`) ?? "") ?? name]),
    ),
    memoryBytes: new Map(products.map(({ pid }) => [pid, residentBytes(pid)])),
  };
}

/** CPU between two readings, nanoseconds; processes started between them count in full. */
export function spentNs(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  return [...after].reduce((sum, [pid, ns]) => sum + Math.max(0, ns - (before.get(pid) ?? 0)), 0);
}

/** Resident memory of the product's processes, or of those with a name, bytes; undefined: none. */
export function memoryBytesOf({ memoryBytes, names }: Usage, name?: string): number | undefined {
  const counted = [...memoryBytes].filter(([pid]) => name === undefined || names.get(pid) === name);
  return counted.length === 0 ? undefined : counted.reduce((sum, [, bytes]) => sum + bytes, 0);
}

/** CPU between two readings by process name, nanoseconds. */
export function spentByName(before: Usage, after: Usage): ReadonlyMap<string, number> {
  const spent = new Map<string, number>();
  for (const [pid, ns] of after.productCpuNs) {
    const name = after.names.get(pid) ?? "";
    spent.set(name, (spent.get(name) ?? 0) + Math.max(0, ns - (before.productCpuNs.get(pid) ?? 0)));
  }
  return spent;
}

/** Parses a line of `/proc/<pid>/stat`. The name may contain spaces and parentheses. */
export function parseStat(text: string): { name: string; parent: number; ticks: number } {
  const nameEnd = text.lastIndexOf(")");
  const fields = text.slice(nameEnd + 2).split(" ");
  return {
    name: text.slice(text.indexOf("(") + 1, nameEnd),
    parent: Number(fields[1]),
    ticks: Number(fields[11]) + Number(fields[12]),
  };
}

/** Service of a process by its command line: the folder of its `main` in `services` or `deploy`. */
export function roleOfCommand(commandLine: string): string | undefined {
  return /(?:services|deploy)\/([a-z-]+)\/(?:dist|dist\/bundle|src)\/main\./.exec(commandLine)?.[1];
}

interface ProcessEntry {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
}

function readProcesses(): ProcessEntry[] {
  return readdirSync("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    const stat = readIfPresent(`/proc/${entry}/stat`);
    return stat === undefined ? [] : [{ pid: Number(entry), ...parseStat(stat) }];
  });
}

function descendants(all: readonly ProcessEntry[], roots: readonly number[]): ProcessEntry[] {
  const found = new Set<number>(roots);
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid }) => found.has(pid));
}

function findPostmaster(folder: string, depth: number): number | undefined {
  const file = readIfPresent(join(folder, "postmaster.pid"));
  if (file !== undefined) return Number(file.split("\n")[0]);
  if (depth === 0 || !existsSync(folder)) return undefined;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const pid = entry.isDirectory() ? findPostmaster(join(folder, entry.name), depth - 1) : undefined;
    if (pid !== undefined) return pid;
  }
  return undefined;
}

/** The scheduler's nanoseconds if available, else clock ticks of 10 ms. */
function cpuNs(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
      const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8");
      return sum + Number(text.split(" ")[0]);
    }, 0);
  } catch {
    const stat = readIfPresent(`/proc/${pid}/stat`);
    return stat === undefined ? 0 : parseStat(stat).ticks * 10_000_000;
  }
}

function residentBytes(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readIfPresent(`/proc/${pid}/status`) ?? "") ?? [];
  return Number(kib ?? 0) * 1024;
}

/** A process may end between being listed and being read. */
function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
