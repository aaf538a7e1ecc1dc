import { execFileSync } from "node:child_process";
import { cpus, loadavg, release, totalmem } from "node:os";
import type { Toolkit } from "./native.ts";
import { repositoryFolder } from "./paths.ts";

/** Facts of the machine, which a result depends on. */
export interface MachineFacts {
  readonly at: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly system: string;
  readonly node: string;
  /** Before the run; above 1, another program uses the machine. */
  readonly loadAverage1m: number;
  readonly generator: string;
  readonly commit: string;
  readonly systems: readonly string[];
}

/** Collects the facts of this machine and this run. */
export function readMachineFacts(toolkit: Toolkit, systems: readonly string[]): MachineFacts {
  const processors = cpus();
  return {
    at: new Date().toISOString(),
    cpu: processors[0]?.model ?? "unknown",
    cores: processors.length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()} ${process.arch}`,
    node: process.versions.node,
    loadAverage1m: loadavg()[0] ?? 0,
    generator: `${toolkit.kind} (${toolkit.note})`,
    commit: readCommit(),
    systems,
  };
}

function readCommit(): string {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repositoryFolder, encoding: "utf8" }).trim();
  try {
    return `${git("rev-parse", "--short", "HEAD")}${git("status", "--porcelain", "--untracked-files=no") === "" ? "" : " and local changes"}`;
  } catch {
    return "unknown";
  }
}
