import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { repositoryFolder } from "./paths.ts";
import { renderTable } from "./report.ts";

/** The used part of V8's CPU profile. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

/** Cost of a function, as shares of the non-idle time. */
export interface Cost {
  readonly where: string;
  /** Without callees. */
  readonly own: number;
  /** With callees. */
  readonly total: number;
}

const shownMax = 25;

/** Cost of every function, by own time. Recursion counts once in the total. */
export function functionCosts({ nodes, samples, timeDeltas }: CpuProfile): Cost[] {
  const byId = new Map(
    nodes.map((node) => [node.id, { where: nameOf(node.callFrame), children: node.children ?? [] }]),
  );
  const ownUs = new Map<number, number>();
  for (const [index, id] of samples.entries()) ownUs.set(id, (ownUs.get(id) ?? 0) + (timeDeltas[index] ?? 0));
  const costs = new Map<string, { own: number; total: number }>();
  const visit = (id: number, callers: readonly string[]): number => {
    const { where, children } = byId.get(id) ?? { where: "unknown", children: [] };
    const own = where === "(idle)" ? 0 : (ownUs.get(id) ?? 0);
    const below = [...callers, where];
    const total = children.reduce((sum, child) => sum + visit(child, below), own);
    const cost = costs.get(where) ?? { own: 0, total: 0 };
    costs.set(where, { own: cost.own + own, total: cost.total + (callers.includes(where) ? 0 : total) });
    return total;
  };
  const called = new Set(nodes.flatMap(({ children = [] }) => children));
  const busy = nodes.filter(({ id }) => !called.has(id)).reduce((sum, { id }) => sum + visit(id, []), 0);
  return [...costs]
    .map(([where, { own, total }]) => ({ where, own: own / busy, total: total / busy }))
    .sort((a, b) => b.own - a.own || b.total - a.total);
}

/** Summarises the profiles in a folder by their most expensive functions. */
export function summarizeProfiles(folder: string): string {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".cpuprofile")) : [];
  if (files.length === 0) return `No profile in ${folder}: the product did not end by itself.`;
  return files.map((file) => summarize(join(folder, file))).join("\n\n");
}

function summarize(file: string): string {
  const costs = functionCosts(JSON.parse(readFileSync(file, "utf8")) as CpuProfile);
  const ours = costs
    .filter(({ where }) => / (services|packages|deploy)\//.test(where))
    .sort((a, b) => b.total - a.total);
  const byPlace = new Map<string, number>();
  for (const { where, own } of costs) byPlace.set(placeOf(where), (byPlace.get(placeOf(where)) ?? 0) + own);
  const places = [...byPlace].map(([where, own]) => ({ where, own, total: own })).sort((a, b) => b.own - a.own);
  const table = (title: string, rows: readonly Cost[]) =>
    renderTable({
      title,
      columns: ["function", "own", "with what it calls"],
      rows: rows.slice(0, shownMax).map(({ where, own, total }) => [where, percent(own), percent(total)]),
    });
  return [
    `CPU profile ${file}`,
    table("By own time", costs),
    table("The product's functions, by all that they call", ours),
    table("Own time by package", places),
  ].join("\n\n");
}

function nameOf({ functionName, url, lineNumber }: CpuProfile["nodes"][number]["callFrame"]): string {
  const name = functionName === "" ? "(anonymous)" : functionName;
  if (url === "") return name;
  const place = url.startsWith("file:") ? relative(repositoryFolder, fileURLToPath(url)) : url;
  return `${name} ${place.replace(/^.*node_modules\//, "")}:${lineNumber + 1}`;
}

/** Package or service of a function: `services/chat`, `undici`, `node:internal/timers`; native code by name. */
function placeOf(where: string): string {
  const [, path] = /^.* ([^ ]+):\d+$/.exec(where) ?? [];
  if (path === undefined) return where;
  if (path.startsWith("node:")) return path;
  const depth = /^(@|services\/|packages\/|deploy\/)/.test(path) ? 2 : 1;
  return path.split("/").slice(0, depth).join("/");
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
