import { posix } from "node:path";
import type { Breach } from "../breach.ts";
import type { Repository } from "../repository.ts";

const generatedFolders: ReadonlySet<string> = new Set([
  "node_modules",
  "dist",
  "gen",
  "generated",
  "coverage",
  ".turbo",
]);

/** Largest file in git, bytes. */
export const fileSizeBytesMax = 1_000_000;

/** Generated, built and installed files are never in git. */
export function* findTrackedGenerated({ files }: Repository): Iterable<Breach> {
  for (const { path } of files) {
    const folder = posix
      .dirname(path)
      .split("/")
      .find((name) => generatedFolders.has(name));
    if (folder === undefined) continue;
    yield {
      path,
      line: 1,
      problem: `git keeps a file of ${folder}/`,
      fix: "git rm --cached it; .gitignore names the folder.",
    };
  }
}

/** Files over {@link fileSizeBytesMax}. */
export function* findLargeFiles({ files }: Repository): Iterable<Breach> {
  for (const { path, sizeBytes } of files) {
    if (sizeBytes <= fileSizeBytesMax) continue;
    const megabytes = (sizeBytes / 1_000_000).toFixed(1);
    yield {
      path,
      line: 1,
      problem: `${megabytes} MB are too much for git`,
      fix: "Generate it, split it, or make it smaller.",
    };
  }
}

interface TextPattern {
  readonly pattern: RegExp;
  /** Files that are searched; all where absent. */
  readonly files?: RegExp;
  readonly problem: string;
  readonly fix: string;
}

/** Start of an absolute path: not inside a longer path, an address or a word. */
const pathStart = String.raw`(?<![\w.$~*@%{}\])/-])`;
const lockfiles = /(?:^|\/)(?:pnpm-lock\.yaml|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock)$/;

const textPatterns: readonly TextPattern[] = [
  {
    // Except the home of the user in official Node images.
    pattern: new RegExp(
      String.raw`${pathStart}/(?:(?:work|root)/|(?:home|Users)/(?!node/)[\w.-]+/)|\b[A-Z]:[\\/]+Users[\\/]`,
    ),
    problem: "an absolute path of one machine",
    fix: "Use a path from the repository's root, or resolve it from import.meta.url.",
  },
  {
    pattern: new RegExp(
      String.raw`\bregistry\.(?:npmjs\.org|yarnpkg\.com|npmmirror\.com)|\bnpm\.(?:pkg\.github\.com|jsr\.io)|\b[\w-]+\.jfrog\.io|\bregistry["']?\s*[:=]\s*["']?https?://`,
    ),
    problem: "the host of a package registry",
    fix: "Leave the registry to each machine's own configuration.",
  },
  {
    pattern: /\bhttps?:\/\//,
    files: lockfiles,
    problem: "an address in the lockfile, so that installs work with one registry only",
    fix: "Install with the default settings; pnpm's lockfile then holds no addresses.",
  },
];

/** No text in git names a developer's machine or a package registry. */
export function* findMachineTraces({ files }: Repository): Iterable<Breach> {
  for (const { path, text } of files) {
    if (text === undefined) continue;
    for (const { pattern, files: only, problem, fix } of textPatterns) {
      if (only !== undefined && !only.test(path)) continue;
      if (!pattern.test(text)) continue;
      yield* linesOf(text, pattern).map((line) => ({ path, line, problem, fix }));
    }
  }
}

function linesOf(text: string, pattern: RegExp): number[] {
  return text.split("\n").flatMap((content, index) => (pattern.test(content) ? [index + 1] : []));
}

/** A file that cannot be parsed cannot be checked. */
export function* findSyntaxErrors({ sources }: Repository): Iterable<Breach> {
  for (const { path, syntaxError } of sources) {
    if (syntaxError !== undefined)
      yield { path, line: 1, problem: `does not parse: ${syntaxError}`, fix: "Fix the syntax." };
  }
}
