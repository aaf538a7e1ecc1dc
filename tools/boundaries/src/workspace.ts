import { posix } from "node:path";
import type { RepositoryFile } from "./repository.ts";

/** Kind of a workspace, for the rules of direction. */
export type WorkspaceKind = "root" | "contract" | "package" | "proof" | "harness" | "service" | "host" | "tool";

/** Package of the repository, as its `package.json` declares it; the rules compare code with it. */
export interface Workspace {
  readonly name: string;
  /** From the repository's root; "" is the root itself. */
  readonly folder: string;
  readonly kind: WorkspaceKind;
  /** Declared entry points, such as `.` or `./testing`; `*` matches anything. */
  readonly entryPoints: readonly string[];
  /** Source files by entry point, from the repository's root. */
  readonly entryFiles: ReadonlyMap<string, string>;
  readonly dependencies: ReadonlySet<string>;
  readonly devDependencies: ReadonlySet<string>;
  /** Peer and optional dependencies: may be imported, need not be. */
  readonly otherDependencies: ReadonlySet<string>;
  readonly scripts: readonly string[];
  readonly manifest: { readonly path: string; readonly lines: readonly string[] };
}

const kindsByFolder: readonly (readonly [pattern: RegExp, kind: WorkspaceKind])[] = [
  [/^$/, "root"],
  [/^proto$/, "contract"],
  [/^tests\/bench$/, "harness"],
  [/^tests\/[^/]+$/, "proof"],
  [/^packages\/[^/]+$/, "package"],
  [/^services\/[^/]+$/, "service"],
  [/^deploy\//, "host"],
  [/^tools\/[^/]+$/, "tool"],
];

interface Manifest {
  readonly name?: string;
  readonly exports?: unknown;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Every folder of a known kind with a `package.json`; deepest first, so that the first match of a path is its own. */
export function readWorkspaces(files: readonly RepositoryFile[]): Workspace[] {
  const found = files.flatMap(({ path, text }) => {
    if (posix.basename(path) !== "package.json" || text === undefined) return [];
    const folder = path === "package.json" ? "" : posix.dirname(path);
    const [, kind] = kindsByFolder.find(([pattern]) => pattern.test(folder)) ?? [];
    return kind === undefined ? [] : [readWorkspace({ folder, kind }, path, text)];
  });
  return found.toSorted((a, b) => b.folder.length - a.folder.length);
}

function readWorkspace(place: Pick<Workspace, "folder" | "kind">, path: string, text: string): Workspace {
  const manifest = JSON.parse(text) as Manifest;
  const names = (group: Readonly<Record<string, string>> = {}) => Object.keys(group);
  return {
    ...place,
    name: manifest.name ?? place.folder,
    entryPoints: readEntryPoints(manifest.exports),
    entryFiles: readEntryFiles(manifest.exports, place.folder),
    dependencies: new Set(names(manifest.dependencies)),
    devDependencies: new Set(names(manifest.devDependencies)),
    otherDependencies: new Set([...names(manifest.peerDependencies), ...names(manifest.optionalDependencies)]),
    scripts: Object.values(manifest.scripts ?? {}),
    manifest: { path, lines: text.split("\n") },
  };
}

/** Node's `exports`: a string or a set of conditions is the root alone, otherwise its keys are the entry points. */
function readEntryPoints(exports: unknown): string[] {
  if (exports === undefined || exports === null) return [];
  if (typeof exports !== "object") return ["."];
  const entries = Object.entries(exports).filter(([, value]) => value !== null);
  return entries.every(([key]) => key.startsWith(".")) ? entries.map(([key]) => key) : ["."];
}

/** Chooses an entry point's target in `src` as its source. */
function readEntryFiles(exports: unknown, folder: string): ReadonlyMap<string, string> {
  const targetsOf = (value: unknown): string[] => {
    if (typeof value === "string") return [value];
    return typeof value === "object" && value !== null ? Object.values(value).flatMap(targetsOf) : [];
  };
  const files = readEntryPoints(exports).flatMap((entry): [string, string][] => {
    const value = (exports as Readonly<Record<string, unknown>>)[entry] ?? exports;
    const source = targetsOf(value).find((target) => target.startsWith("./src/"));
    return source === undefined ? [] : [[entry, posix.join(folder, source)]];
  });
  return new Map(files);
}

/** Workspace that contains a path: the deepest one, provided that `workspaces` are in the order of `readWorkspaces`. */
export function findWorkspace(workspaces: readonly Workspace[], path: string): Workspace | undefined {
  return workspaces.find(({ folder }) => folder === "" || path.startsWith(`${folder}/`));
}

/** Whether a subpath (`.` or `./x`) is a declared entry point. */
export function isEntryPoint({ entryPoints }: Workspace, subpath: string): boolean {
  return entryPoints.some((entry) => {
    const [before = "", after] = entry.split("*");
    if (after === undefined) return entry === subpath;
    return subpath.length >= entry.length && subpath.startsWith(before) && subpath.endsWith(after);
  });
}

/** Line of a package.json that declares a dependency, from 1. */
export function dependencyLine({ manifest }: Workspace, dependency: string): number {
  return Math.max(1, manifest.lines.findIndex((line) => line.includes(`"${dependency}":`)) + 1);
}
