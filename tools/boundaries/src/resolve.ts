import { isBuiltin } from "node:module";
import { posix } from "node:path";
import type { Workspace } from "./workspace.ts";

/** Destination of an import, by its specifier alone: it may not exist. */
export type Target =
  | { readonly kind: "builtin"; readonly name: string }
  /** A file named by a relative path; `path` is from the repository's root and begins with `../` when it leaves it. */
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "workspace"; readonly workspace: Workspace; readonly subpath: string }
  | { readonly kind: "external"; readonly name: string };

/** Resolves by name alone: nothing needs to be installed, built or generated. */
export function resolveImport(specifier: string, from: string, workspaces: readonly Workspace[]): Target {
  if (isBuiltin(specifier)) return { kind: "builtin", name: specifier };
  if (/^\.{0,2}\/|^\.{1,2}$/.test(specifier)) {
    const path = specifier.startsWith("/") ? `../${specifier}` : posix.join(posix.dirname(from), specifier);
    return { kind: "file", path: path.replace(/[?#].*$/, "") };
  }
  const name = packageNameOf(specifier);
  const workspace = workspaces.find((candidate) => candidate.name === name);
  if (workspace === undefined) return { kind: "external", name };
  const rest = specifier.slice(name.length);
  return { kind: "workspace", workspace, subpath: `.${rest}` };
}

/** `@scope/name/sub/path` belongs to the package `@scope/name`, `name/sub` to `name`. */
function packageNameOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
