import type { Breach } from "../breach.ts";
import type { Repository, ResolvedImport, SourceFile } from "../repository.ts";
import { layerOf } from "../source-role.ts";
import { eachImport } from "./direction.ts";
import { closedToComposition, layerTable, otherLayer, purePackages } from "./layer-table.ts";

/** Layers of a service import each other in one direction only. */
export function* findWrongLayers({ sources }: Repository): Iterable<Breach> {
  for (const [source, found] of eachImport(sources)) {
    const { target, form } = found;
    if (!isServiceProduct(source) || target.kind !== "file" || form === "path") continue;
    const to = layerOf(target.path, source.workspace);
    if (to === "" || mayImport(source.layer, to, found.typeOnly)) continue;
    yield {
      path: source.path,
      line: found.line,
      problem: `${source.layer} imports ${to}: ${found.specifier}`,
      fix: fixFor(source.layer, to),
    };
  }
}

/** A domain imports nothing but itself and packages that only compute. */
export function* findImpureDomains({ sources }: Repository): Iterable<Breach> {
  for (const [source, found] of eachImport(sources)) {
    if (!isServiceProduct(source) || source.layer !== "domain") continue;
    const name = packageOf(found);
    if (name === undefined || isPure(name, found)) continue;
    yield {
      path: source.path,
      line: found.line,
      problem: `a domain file imports ${described(name, found)}`,
      fix: "Hand it in as a parameter or a port; or list it in purePackages of tools/boundaries, if it only computes.",
    };
  }
}

/** The only waiting allowed in a domain: a computation that yields between its steps. */
const pacing = "@gatehouse/pace";

/** A domain takes time and chance as values, and does not wait: only a computation in steps is async. */
export function* findEffectsInDomains({ sources }: Repository): Iterable<Breach> {
  for (const source of sources) {
    if (!isServiceProduct(source) || source.layer !== "domain") continue;
    const isPaced = source.imports.some(({ specifier }) => specifier === pacing);
    for (const { name, line } of source.effects) {
      if (name === "async" && isPaced) continue;
      yield {
        path: source.path,
        line,
        problem: name === "async" ? "a domain function is async" : `a domain file uses ${name}`,
        fix: "Move what waits to src/app; take times and random values as parameters.",
      };
    }
  }
}

/** Only the store uses the generated database client, tests included. */
export function* findPrismaOutsideStore({ sources }: Repository): Iterable<Breach> {
  for (const [source, found] of eachImport(sources)) {
    const { target } = found;
    const isPrisma =
      (target.kind === "external" && target.name === "@prisma/client") ||
      (target.kind === "file" && /\/generated\/prisma(?:\/|$)/.test(target.path));
    if (!isPrisma || source.workspace.kind !== "service" || source.layer === "store") continue;
    yield {
      path: source.path,
      line: found.line,
      problem: "the generated Prisma client is imported outside src/store",
      fix: "Call a function of the store, which returns domain types.",
    };
  }
}

function isServiceProduct({ workspace, role }: SourceFile): boolean {
  return workspace.kind === "service" && role === "product";
}

function mayImport(from: string, to: string, typeOnly: boolean): boolean {
  if (from === to) return true;
  if (from === "composition") return !closedToComposition.has(to);
  const { anything, types } = layerTable[from] ?? otherLayer;
  return anything.includes(to) || (typeOnly && types.includes(to));
}

function fixFor(from: string, to: string): string {
  if (to === "generated") return "Only src/store knows generated clients; return domain types from it.";
  if (from === "domain") return "A domain takes values; let the caller pass what it needs.";
  return "Have src/app.ts hand it in; its type may come from the domain.";
}

function packageOf({ target }: ResolvedImport): string | undefined {
  if (target.kind === "external" || target.kind === "builtin") return target.name;
  return target.kind === "workspace" ? target.workspace.name : undefined;
}

function isPure(name: string, { typeOnly, names }: ResolvedImport): boolean {
  const purity = purePackages[name];
  if (purity === undefined) return false;
  if (purity === "all" || typeOnly) return true;
  return purity !== "types" && names !== "all" && names.every((imported) => purity.includes(imported));
}

function described(name: string, { names }: ResolvedImport): string {
  const purity = purePackages[name];
  if (purity === undefined || purity === "all" || names === "all") return name;
  if (purity === "types") return `${name}, of which only types are pure (use \`import type\`)`;
  return `${names.filter((imported) => !purity.includes(imported)).join(", ")} of ${name}`;
}
