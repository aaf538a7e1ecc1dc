import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { repositoryFolder } from "./paths.ts";
import { renderTable } from "./report.ts";

/** The part of V8's CPU profile that is read here. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

/** A function and its own time, without that of what it calls. */
export interface Cost {
  readonly where: string;
  readonly share: number;
}

const shownMax = 30;

/** The functions that took most time of their own, as shares of the time in which the process was not idle. */
export function topCosts({ nodes, samples, timeDeltas }: CpuProfile): Cost[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  let busy = 0;
  for (const [index, id] of samples.entries()) {
    const where = names.get(id) ?? "unknown";
    const us = timeDeltas[index] ?? 0;
    if (where === "(idle)") continue;
    busy += us;
    times.set(where, (times.get(where) ?? 0) + us);
  }
  return [...times].map(([where, us]) => ({ where, share: us / busy })).sort((a, b) => b.share - a.share);
}

/** Reads the profiles that a process left in a folder, and lists what cost most in each. */
export function summarizeProfiles(folder: string): string {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".cpuprofile")) : [];
  if (files.length === 0) return `No profile in ${folder}: the product did not end by itself.`;
  return files
    .map((file) => {
      const profile = JSON.parse(readFileSync(join(folder, file), "utf8")) as CpuProfile;
      const rows = topCosts(profile)
        .slice(0, shownMax)
        .map(({ where, share }) => [where, `${(share * 100).toFixed(1)} %`]);
      return renderTable({
        title: `CPU by function, own time (${join(folder, file)})`,
        columns: ["function", "share"],
        rows,
      });
    })
    .join("\n\n");
}

function nameOf({ functionName, url, lineNumber }: CpuProfile["nodes"][number]["callFrame"]): string {
  const name = functionName === "" ? "(anonymous)" : functionName;
  if (url === "") return name;
  const place = url.startsWith("file:") ? relative(repositoryFolder, fileURLToPath(url)) : url;
  return `${name} ${place.replace(/^.*node_modules\//, "")}:${lineNumber + 1}`;
}
