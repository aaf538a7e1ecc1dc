import type { Breach } from "../breach.ts";
import { buildRepository, type Repository, type RepositoryFile } from "../repository.ts";
import { rules } from "../rules/index.ts";

type Texts = Readonly<Record<string, string>>;

/** A package.json that exports its root and depends on the named packages. */
export function manifest(name: string, fields: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ name, exports: { ".": "./src/index.ts" }, ...fields }, undefined, 2);
}

/** A repository with these files in addition to two packages and two services. */
export function repositoryOf(texts: Texts): Repository {
  const all: Texts = {
    "package.json": manifest("root", { devDependencies: { vitest: "1" } }),
    "packages/errors/package.json": manifest("@x/errors"),
    "packages/clock/package.json": manifest("@x/clock", {
      exports: { ".": "./a", "./testing": "./b", "./icons/*": "./c" },
    }),
    "services/chat/package.json": manifest("@x/chat"),
    "services/router/package.json": manifest("@x/router"),
    ...texts,
  };
  return buildRepository(Object.entries(all).map(([path, text]) => fileOf(path, text)));
}

export function fileOf(path: string, text: string | undefined, sizeBytes = text?.length ?? 0): RepositoryFile {
  return { path, text, sizeBytes };
}

/** Breaches of one rule in a repository, as `path:line problem`. */
export function breachesOf(rule: string, repository: Repository | Texts): string[] {
  const isBuilt = (value: Repository | Texts): value is Repository => Array.isArray(value["files"]);
  const find = rules[rule];
  if (find === undefined) throw new Error(`There is no rule ${rule}.`);
  const breaches: Breach[] = [...find(isBuilt(repository) ? repository : repositoryOf(repository))];
  return breaches.map(({ path, line, problem }) => `${path}:${line} ${problem}`);
}
