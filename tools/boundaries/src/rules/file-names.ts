import { posix } from "node:path";
import type { Breach } from "../breach.ts";
import type { Repository } from "../repository.ts";
import { parsedFilePattern } from "../source-role.ts";

const kebabCase = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*$/;
const vagueWords: ReadonlySet<string> = new Set([
  "util",
  "utils",
  "helper",
  "helpers",
  "common",
  "manager",
  "managers",
  "misc",
]);

/** Source files and their folders are named in kebab-case. */
export function* findOddNames({ files }: Repository): Iterable<Breach> {
  for (const path of sourcePaths(files)) {
    const odd = path.split("/").find((name) => !kebabCase.test(name.replace(/^\./, "")));
    if (odd === undefined) continue;
    yield { path, line: 1, problem: `"${odd}" is not kebab-case`, fix: "Rename it, such as event-stream.ts." };
  }
}

/** No file or folder has a name that says nothing about its job. */
export function* findVagueNames({ files }: Repository): Iterable<Breach> {
  for (const path of sourcePaths(files)) {
    const names = [...posix.dirname(path).split("/"), posix.basename(path).replace(/\..*$/, "")];
    const vague = names.flatMap((name) => name.toLowerCase().split("-")).find((word) => vagueWords.has(word));
    if (vague === undefined) continue;
    yield { path, line: 1, problem: `"${vague}" says nothing of its job`, fix: "Name it after its main export." };
  }
}

function sourcePaths(files: Repository["files"]): string[] {
  return files.map(({ path }) => path).filter((path) => parsedFilePattern.test(path) || path.endsWith(".css"));
}
