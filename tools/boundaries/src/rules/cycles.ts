import type { Breach } from "../breach.ts";
import { findCycles, type Graph } from "../graph.ts";
import type { Repository } from "../repository.ts";
import { dependencyLine } from "../workspace.ts";

/** Workspaces depend on each other without cycles, dev dependencies included, since builds and their cache need an order. */
export function* findWorkspaceCycles({ workspaces }: Repository): Iterable<Breach> {
  const byName = new Map(workspaces.map((workspace) => [workspace.name, workspace]));
  const graph: Graph = new Map(
    workspaces.map(({ name, dependencies, devDependencies, otherDependencies }) => [
      name,
      [...dependencies, ...devDependencies, ...otherDependencies].filter((other) => byName.has(other)),
    ]),
  );
  for (const cycle of findCycles(graph)) {
    const [first = "", second = ""] = cycle;
    const workspace = byName.get(first);
    if (workspace === undefined) continue;
    yield {
      path: workspace.manifest.path,
      line: dependencyLine(workspace, second),
      problem: `workspaces depend on each other: ${[...cycle, first].join(" → ")}`,
      fix: "Move what both need into a separate package.",
    };
  }
}

/**
 * Files of a workspace do not import each other in cycles, whose result would depend on the loading order. `import type` does not
 * count, since it is erased.
 */
export function* findFileCycles({ sources }: Repository): Iterable<Breach> {
  const graph: Graph = new Map(
    sources.map(({ path, imports }) => [
      path,
      imports.flatMap(({ target, typeOnly, form }) =>
        target.kind === "file" && !typeOnly && form !== "path" ? [target.path] : [],
      ),
    ]),
  );
  const byPath = new Map(sources.map((source) => [source.path, source]));
  for (const cycle of findCycles(graph)) {
    const [first = "", second = first] = cycle;
    const found = byPath.get(first)?.imports.find(({ target }) => target.kind === "file" && target.path === second);
    yield {
      path: first,
      line: found?.line ?? 1,
      problem: `files import each other: ${[...cycle, first].join(" → ")}`,
      fix: "Move what both need into a third file, or turn one import into `import type`.",
    };
  }
}
