// Detects whether files have changed since the last run.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Folders that tools write and no build reads. */
const SKIPPED = new Set(["node_modules", "dist", "gen", "generated", "coverage"]);

/**
 * Hash of the path, modification time and size of every file below the given paths, without generated files and unit tests.
 * Missing paths count as empty.
 * @param {string} root
 * @param {readonly string[]} paths relative to `root`
 * @returns {string}
 */
export function fingerprintFiles(root, paths) {
  const hash = createHash("sha256");
  for (const path of listFiles(root, paths)) {
    const { mtimeMs, size } = statSync(join(root, path));
    hash.update(`${path}\0${mtimeMs}\0${size}\n`);
  }
  return hash.digest("hex");
}

/**
 * Hash of the path and content of the given files; a missing one counts as empty.
 * @param {string} root
 * @param {readonly string[]} paths relative to `root`
 * @returns {string}
 */
export function fingerprintContents(root, paths) {
  const hash = createHash("sha256");
  for (const path of paths) {
    hash
      .update(`${path}\0`)
      .update(readIfPresent(join(root, path)))
      .update("\n");
  }
  return hash.digest("hex");
}

/** Text of a file; empty where it is missing. */
export function readIfPresent(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") {
      return "";
    }
    throw error;
  }
}

function* listFiles(root, paths) {
  for (const path of [...paths].sort((a, b) => (a < b ? -1 : 1))) {
    const found = statSync(join(root, path), { throwIfNoEntry: false });
    if (found?.isDirectory()) {
      const names = readdirSync(join(root, path)).filter((name) => !SKIPPED.has(name) && !name.startsWith("."));
      yield* listFiles(
        root,
        names.map((name) => join(path, name)),
      );
    } else if (found?.isFile() && !/\.test\.[a-z]+$/.test(path)) {
      yield path;
    }
  }
}
