import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/** File of a tree that is measured, with its whole text. */
export interface TextFile {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const outputBytesMax = 512 * 1024 * 1024;
const measured = /\.(?:ts|tsx|mjs|md|json|proto|prisma|sql|ya?ml)$/;

/** Files of the working tree, or of a commit. @throws Error where git does not know the commit. */
export function readTree(commit: string | undefined): readonly TextFile[] {
  if (commit === undefined) {
    return listFiles()
      .filter(isMeasured)
      .map((path) => ({ path, text: readFileSync(path, "utf8") }));
  }
  const paths = git(["ls-tree", "-r", "-z", "--name-only", commit]).split("\0").filter(isCounted);
  return paths.map((path) => ({ path, text: git(["show", `${commit}:${path}`]) }));
}

/** Paths of the working tree's files that git does not ignore. @throws Error with git's message */
export function listFiles(): readonly string[] {
  return git(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).split("\0").filter(existsSync);
}

function isMeasured(path: string): boolean {
  // A deleted file that is still tracked is listed.
  return isCounted(path) && existsSync(path);
}

function isCounted(path: string): boolean {
  return measured.test(path) && !path.endsWith("pnpm-lock.yaml");
}

/** Output of a git command. @throws Error with git's message */
export function git(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { encoding: "utf8", maxBuffer: outputBytesMax });
  if (status !== 0) throw new Error(`git ${args.slice(0, 2).join(" ")} failed: ${stderr.trim()}`);
  return stdout;
}
