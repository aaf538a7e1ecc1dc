import type { Breach } from "../breach.ts";
import type { Repository, SourceFile } from "../repository.ts";
import type { Target } from "../resolve.ts";
import { dependencyLine, type Workspace } from "../workspace.ts";
import { eachImport } from "./direction.ts";

/** Packages that a workspace needs although no file imports them, with the reason. */
const neededWithoutImport: Readonly<Record<string, string>> = {
  "@bufbuild/buf": "run by the scripts of proto",
  "@modelcontextprotocol/server-everything": "started as a process by tests",
  "@modelcontextprotocol/server-filesystem": "started as a process by tests",
  "@modelcontextprotocol/server-memory": "started as a process by tests",
  "@modelcontextprotocol/server-sequential-thinking": "started as a process by tests",
  "@bufbuild/protobuf": "imported by generated contracts",
  "@prisma/client": "imported by generated database clients",
  "@prisma/schema-engine-wasm": "loaded by a computed name",
  "mcp-proxy": "started as a process by tests",
  "nice-grpc-common": "imported by generated contracts",
  "oxlint-tsgolint": "run by oxlint",
  prisma: "run by generate scripts",
  supergateway: "started as a process by tests",
  "ts-proto": "run by buf",
  typescript: "run by build scripts",
};

/** Every imported package is declared by the importing workspace, in `dependencies` for built files. */
export function* findUndeclaredImports({ sources, workspaces }: Repository): Iterable<Breach> {
  const root = workspaces.find(({ kind }) => kind === "root");
  for (const [source, found] of eachImport(sources)) {
    const { workspace } = source;
    const name = packageOf(found.target);
    if (name === undefined || name === workspace.name || isDeclaredFor(source, name, root)) continue;
    const isMisplaced = workspace.devDependencies.has(name);
    const group = source.role === "product" ? "dependencies" : "devDependencies";
    yield {
      path: source.path,
      line: found.line,
      problem: isMisplaced
        ? `${name} is a dev dependency, but this file is built`
        : `${name} is not declared by ${workspace.name}`,
      fix: `${isMisplaced ? "Move" : "Add"} it to "${group}" of ${workspace.manifest.path}.`,
    };
  }
}

/** Every declared dependency is imported by a file, named by a script, or listed above. */
export function* findUnusedDependencies({ sources, workspaces }: Repository): Iterable<Breach> {
  for (const workspace of workspaces) {
    const used = usedPackages(workspace, sources);
    for (const name of [...workspace.dependencies, ...workspace.devDependencies]) {
      if (used.has(name) || name in neededWithoutImport || isNamedByScript(workspace, name)) continue;
      // Types for Node and for a library come with the library.
      if (name === "@types/node" || used.has(name.replace("@types/", ""))) continue;
      yield {
        path: workspace.manifest.path,
        line: dependencyLine(workspace, name),
        problem: `${name} is declared, but nothing imports it`,
        fix: "Remove it from the manifest.",
      };
    }
  }
}

function packageOf(target: Target): string | undefined {
  if (target.kind === "external") return target.name;
  return target.kind === "workspace" ? target.workspace.name : undefined;
}

/** Tools are never built, and all tests may use the root's development dependencies. */
function isDeclaredFor({ workspace, role }: SourceFile, name: string, root: Workspace | undefined): boolean {
  if (workspace.dependencies.has(name) || workspace.otherDependencies.has(name)) return true;
  if (role === "product" && !["tool", "proof", "harness"].includes(workspace.kind)) return false;
  return workspace.devDependencies.has(name) || (role === "development" && root?.devDependencies.has(name) === true);
}

/** The root's dependencies serve the tests of every workspace; other workspaces' serve themselves. */
function usedPackages(workspace: Workspace, sources: readonly SourceFile[]): ReadonlySet<string> {
  const users = workspace.kind === "root" ? sources : sources.filter((source) => source.workspace === workspace);
  return new Set(users.flatMap(({ imports }) => imports.map(({ target }) => packageOf(target) ?? "")));
}

function isNamedByScript({ scripts }: Workspace, name: string): boolean {
  return scripts.some((script) => script.split(/[\s;&|()]+/).includes(name));
}
