import type { Breach } from "../breach.ts";
import type { Repository, ResolvedImport, SourceFile } from "../repository.ts";

/** Services that call addresses written by tenants. */
const guardedServices: ReadonlySet<string> = new Set(["api-proxy", "mcp-aggregator", "webhook-dispatcher"]);

/** Names that open connections; undefined for all names of a module. */
const openers: Readonly<Record<string, readonly string[] | undefined>> = {
  undici: undefined,
  "node:net": ["connect", "createConnection", "Socket"],
  "node:tls": undefined,
  "node:dns": undefined,
  "node:dns/promises": undefined,
  "node:http": ["request", "get", "Agent", "globalAgent"],
  "node:https": undefined,
};

/** Calls to external addresses go through packages/egress, which checks them. Types of the modules are allowed. */
export function* findUnguardedEgress({ sources }: Repository): Iterable<Breach> {
  for (const source of sources.filter(isGuarded)) {
    for (const found of source.imports.filter(opensConnections)) {
      yield {
        path: source.path,
        line: found.line,
        problem: `imports ${found.specifier}, an egress beside packages/egress`,
        fix,
      };
    }
    for (const line of source.fetchLines) {
      yield { path: source.path, line, problem: "calls fetch, an egress beside packages/egress", fix };
    }
  }
}

const fix = "Take a dispatcher, a fetch or a connection of packages/egress as a parameter.";

function isGuarded({ path, role }: SourceFile): boolean {
  const [top, service, folder] = path.split("/");
  return top === "services" && folder === "src" && role !== "development" && guardedServices.has(service ?? "");
}

function opensConnections({ specifier, typeOnly, names }: ResolvedImport): boolean {
  if (typeOnly || !Object.hasOwn(openers, specifier)) return false;
  const opening = openers[specifier];
  if (opening === undefined) return names === "all" || names.length > 0;
  return names === "all" || names.some((name) => opening.includes(name) || name === "default");
}
