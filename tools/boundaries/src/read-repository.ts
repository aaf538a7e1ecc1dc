import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { RepositoryFile } from "./repository.ts";
import { fileSizeBytesMax } from "./rules/file-contents.ts";

const listBytesMax = 64 * 1024 * 1024;

/** Reads the files that git tracks, or would track after adding everything. @throws Error when the folder is not in a git working copy. */
export function readRepositoryFiles(root: string): RepositoryFile[] {
  const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: listBytesMax,
  });
  const paths = new Set(list.split("\0").filter((path) => path !== ""));
  return [...paths].flatMap((path) => {
    const file = readRepositoryFile(root, path);
    return file === undefined ? [] : [file];
  });
}

/** Undefined for a deleted file that is still tracked, a link, and a submodule. */
function readRepositoryFile(root: string, path: string): RepositoryFile | undefined {
  const stats = statSync(join(root, path), { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile()) return undefined;
  const bytes = stats.size > fileSizeBytesMax ? undefined : readFileSync(join(root, path));
  const isText = bytes !== undefined && !bytes.subarray(0, 8_000).includes(0);
  return { path, sizeBytes: stats.size, text: isText ? bytes.toString("utf8") : undefined };
}
