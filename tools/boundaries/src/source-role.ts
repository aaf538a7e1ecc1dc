import type { Workspace } from "./workspace.ts";

/** Files whose imports are read. */
export const parsedFilePattern = /\.[cm]?[jt]sx?$/;

/** `development` files are never built: tests, configuration of tools, training and evaluation scripts. */
export type SourceRole = "product" | "development";

const testFilePattern = /(?:^|\/)(?:test|tests|fixtures)\/|\.(?:test|spec|test-d|bench)\.[cm]?[jt]sx?$/;

/** Role of a file, by its place: only `src` is built, without the tests inside it. */
export function roleOf(path: string, workspace: Workspace): SourceRole {
  const inside = pathInside(path, workspace);
  return inside.startsWith("src/") && !testFilePattern.test(inside) ? "product" : "development";
}

/** The first name below `src`, without an extension; `src/app.ts` is `composition`, as opposed to the layer `src/app/`. */
export function layerOf(path: string, workspace: Workspace): string {
  const inside = pathInside(path, workspace);
  const [, layer = ""] = /^src\/([^/.]+)/.exec(inside) ?? [];
  return layer === "app" && !inside.startsWith("src/app/") ? "composition" : layer;
}

/** Path of a file from its workspace's folder. @param path from the repository's root, inside the workspace */
export function pathInside(path: string, { folder }: Workspace): string {
  return folder === "" ? path : path.slice(folder.length + 1);
}
