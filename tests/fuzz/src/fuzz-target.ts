import { globSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** A parser of foreign bytes. Targets are exported as `fuzzTargets` by `test/*.fuzz.ts` of the parser's workspace. */
export interface FuzzTarget {
  /** In kebab-case; also names the folder of kept inputs. */
  readonly name: string;
  /** Well-formed inputs to begin with. */
  readonly seeds: readonly (string | Uint8Array)[];
  /** Words with a meaning for the parser. */
  readonly words?: readonly string[];
  /** Parses the bytes and checks invariants. @throws for a broken invariant, and the parser's errors */
  readonly run: (bytes: Buffer) => unknown;
  /** Whether the parser may refuse an input with this error. */
  readonly isDeclared: (err: unknown) => boolean;
}

/** The files that have targets, from the repository's root. */
export function targetFiles(root: string): readonly string[] {
  const pattern = "{packages,services}/*/test/**/*.fuzz.ts";
  return globSync(pattern, { cwd: root, exclude: ["**/node_modules/**"] }).toSorted();
}

/** The targets of one file. @throws Error when it exports none. */
export async function loadTargets(root: string, file: string): Promise<readonly FuzzTarget[]> {
  const loaded = (await import(pathToFileURL(join(root, file)).href)) as {
    readonly fuzzTargets?: readonly FuzzTarget[];
  };
  if (loaded.fuzzTargets === undefined) throw new Error(`${file} must export fuzzTargets.`);
  return loaded.fuzzTargets;
}
