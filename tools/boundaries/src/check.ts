import type { NamedBreach } from "./breach.ts";
import type { Repository } from "./repository.ts";
import { rules } from "./rules/index.ts";

interface CheckResult {
  /** Ordered by path and line. */
  readonly breaches: readonly NamedBreach[];
  readonly fileCount: number;
  readonly importCount: number;
}

/** Runs every rule over a repository. Reads no file: `buildRepository` has read them. */
export function checkRepository(repository: Repository): CheckResult {
  const breaches = Object.entries(rules).flatMap(([rule, find]) =>
    [...find(repository)].map((breach) => ({ ...breach, rule })),
  );
  return {
    breaches: breaches.toSorted((a, b) => a.path.localeCompare(b.path) || a.line - b.line),
    fileCount: repository.sources.length,
    importCount: repository.sources.reduce((sum, { imports }) => sum + imports.length, 0),
  };
}

interface Report {
  readonly lines: readonly string[];
  readonly exitCode: 0 | 1;
}

/** Text to print, and the exit code: 1 for a breach, or for a check that has looked at nothing. */
export function reportOf({ breaches, fileCount, importCount }: CheckResult): Report {
  const counts = `${fileCount} files, ${importCount} imports checked`;
  if (fileCount === 0 || importCount === 0) {
    return { lines: [`Nothing was checked: ${counts}. Run this in the repository's root.`], exitCode: 1 };
  }
  if (breaches.length === 0) return { lines: [counts], exitCode: 0 };
  const lines = breaches.map(
    ({ path, line, rule, problem, fix }) => `${path}:${line}  ${rule}  ${problem}\n    ${fix}`,
  );
  return { lines: [...lines, "", `${breaches.length} breaches; ${counts}`], exitCode: 1 };
}
