import type { Breach } from "../breach.ts";
import type { Repository, ResolvedImport, SourceFile } from "../repository.ts";
import { pathInside } from "../source-role.ts";

/**
 * Every exported value of a file in `src` is imported by another file: a test, or for an entry point usually another workspace. A
 * file that is loaded whole (as a namespace, by its address, for its effects) may export anything.
 */
export function* findUnusedExports({ sources }: Repository): Iterable<Breach> {
  const uses = usesOf(sources);
  for (const { path, exports } of sources.filter(isOfSource)) {
    const used = uses.get(path) ?? new Set<string>();
    for (const { name, line } of used === "all" ? [] : exports.filter((each) => !used.has(each.name))) {
      yield {
        path,
        line,
        problem: `exports ${name}, which no other file imports`,
        fix: "Leave it out of the entry point, drop the export, or the value if its own file has no use for it.",
      };
    }
  }
}

type Uses = Set<string> | "all";

function usesOf(sources: readonly SourceFile[]): ReadonlyMap<string, Uses> {
  const uses = new Map<string, Uses>();
  for (const found of sources.flatMap(({ imports }) => imports)) {
    const path = pathOf(found);
    if (path !== undefined) addUse(uses, path, found);
  }
  return uses;
}

function pathOf({ target }: ResolvedImport): string | undefined {
  if (target.kind === "file") return target.path;
  return target.kind === "workspace" ? target.workspace.entryFiles.get(target.subpath) : undefined;
}

function addUse(uses: Map<string, Uses>, path: string, { names, typeNames }: ResolvedImport): void {
  const known: Uses = uses.get(path) ?? new Set<string>();
  if (names === "all" || known === "all") uses.set(path, "all");
  else uses.set(path, new Set([...known, ...names, ...typeNames]));
}

function isOfSource({ path, workspace }: SourceFile): boolean {
  return pathInside(path, workspace).startsWith("src/");
}
