import type { Breach } from "../breach.ts";
import type { Repository, ResolvedImport, SourceFile } from "../repository.ts";
import { pathInside } from "../source-role.ts";
import { isEntryPoint, type Workspace, type WorkspaceKind } from "../workspace.ts";

/** Kinds of workspace that each kind may import. */
const importableKinds: Readonly<Record<WorkspaceKind, readonly WorkspaceKind[]>> = {
  root: [],
  contract: [],
  package: ["contract", "package"],
  service: ["contract", "package"],
  host: ["contract", "package", "service"],
  proof: ["contract", "package", "service", "host", "proof"],
  harness: ["contract", "package", "host"],
  tool: ["contract", "package"],
};

/** Further kinds that tests, configuration and scripts may import. */
const importableKindsInDevelopment: readonly WorkspaceKind[] = ["contract", "package", "tool"];

/** Services never import services, packages never import what is built on them, and so on. */
export function* findWrongDirections({ sources }: Repository): Iterable<Breach> {
  for (const [source, found] of eachImport(sources)) {
    if (found.target.kind !== "workspace") continue;
    const from = source.workspace;
    const { workspace: to } = found.target;
    const allowed = [
      ...importableKinds[from.kind],
      ...(source.role === "development" && from.kind !== "root" ? importableKindsInDevelopment : []),
    ];
    if (to === from || allowed.includes(to.kind) || isForTools(source, found.target)) continue;
    yield {
      path: source.path,
      line: found.line,
      problem: `a ${from.kind} imports the ${to.kind} ${to.name}`,
      fix:
        to.kind === "service"
          ? "Call it over its contract in proto, or through a client that is handed in."
          : "Move what is shared into packages/, or hand it in.",
    };
  }
}

/** Entries of services for tools: features for training, and schemas of operations. */
const toolEntries: ReadonlySet<string> = new Set(["./training", "./operations"]);

/** Whether a tool imports a service by an entry for tools. */
function isForTools(source: SourceFile, to: { readonly workspace: Workspace; readonly subpath: string }): boolean {
  return source.workspace.kind === "tool" && to.workspace.kind === "service" && toolEntries.has(to.subpath);
}

/**
 * Another workspace is imported through its declared `exports` only; a service only through its root, and by tools through their
 * entries.
 */
export function* findDeepImports({ sources }: Repository): Iterable<Breach> {
  for (const [source, found] of eachImport(sources)) {
    if (found.target.kind !== "workspace") continue;
    const { workspace, subpath } = found.target;
    const open = workspace.kind !== "service" || subpath === "." || isForTools(source, found.target);
    if (open && isEntryPoint(workspace, subpath)) continue;
    yield {
      path: source.path,
      line: found.line,
      problem: `"${found.specifier}" is no entry point of ${workspace.name}`,
      fix: `Import one of: ${workspace.entryPoints.join(", ") || "(it exports nothing)"}.`,
    };
  }
}

const startsProduct: ReadonlySet<WorkspaceKind> = new Set(["proof", "harness", "tool"]);

/** A relative path stays inside its workspace, except for the folders of the product in its starting code. */
export function* findEscapes({ sources }: Repository): Iterable<Breach> {
  for (const [source, found] of eachImport(sources)) {
    if (found.target.kind !== "file") continue;
    const { folder, kind } = source.workspace;
    if (found.form === "path" && startsProduct.has(kind)) continue;
    const { path } = found.target;
    const isInside = folder === "" ? !path.startsWith("..") : path === folder || path.startsWith(`${folder}/`);
    if (isInside) continue;
    yield {
      path: source.path,
      line: found.line,
      problem: `"${found.specifier}" leaves the workspace ${folder || "."}`,
      fix: "Export it from the other package and import it by the package's name.",
    };
  }
}

/** Product files never import development files, which the build leaves out. */
export function* findDevelopmentImports({ sources }: Repository): Iterable<Breach> {
  const development = new Set(sources.filter(({ role }) => role === "development").map(({ path }) => path));
  for (const [source, found] of eachImport(sources)) {
    if (source.role !== "product" || found.target.kind !== "file" || !development.has(found.target.path)) continue;
    yield {
      path: source.path,
      line: found.line,
      problem: `a built file imports ${pathInside(found.target.path, source.workspace)}, which is not built`,
      fix: "Move what both need into src, or this file out of it.",
    };
  }
}

/** Every import of every file with that file, in the files' order; the iteration of most rules. */
export function* eachImport(sources: readonly SourceFile[]): Iterable<readonly [SourceFile, ResolvedImport]> {
  for (const source of sources) for (const found of source.imports) yield [source, found];
}
