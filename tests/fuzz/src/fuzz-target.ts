import { globSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** One parser of foreign bytes. Targets stand beside what they try, in `test/*.fuzz.ts` of its workspace, as `fuzzTargets`. */
export interface FuzzTarget {
  /** In kebab-case; also the name of its folder of kept inputs. */
  readonly name: string;
  /** Well-formed inputs to begin with. */
  readonly seeds: readonly (string | Uint8Array)[];
  /** Words that mean something to the parser. */
  readonly words?: readonly string[];
  /** Gives the bytes to the parser and checks what it promises. @throws for a broken promise, and whatever the parser throws. */
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
