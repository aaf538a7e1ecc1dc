import type { Breach } from "../breach.ts";
import type { Repository, SourceFile } from "../repository.ts";
import { pathInside } from "../source-role.ts";

/** Other built files that may read the environment, with the reason. */
const readers: Readonly<Record<string, string>> = {
  "packages/service/src/run-service.ts": "the body of every service's main: hands the environment to loadConfig",
  "deploy/standalone/src/run-standalone.ts": "the body of the standalone host's main, likewise",
  "deploy/standalone/src/worker.ts": "the main of the standalone host's workers",
  "packages/postgres/src/run-command.ts": "gives child processes the PATH",
  "packages/postgres/src/testing.ts": "finds the server that the tests' global setup started",
};

/** A process reads its environment in one place: `config.ts`, to which `main.ts` passes it. */
export function* findEnvironmentReaders({ sources }: Repository): Iterable<Breach> {
  for (const source of sources) {
    if (mayRead(source)) continue;
    for (const line of source.environmentLines) {
      yield {
        path: source.path,
        line,
        problem: "reads process.env",
        fix: "Add the setting to src/config.ts and take it as a parameter.",
      };
    }
  }
}

function mayRead({ path, workspace, role }: SourceFile): boolean {
  if (role === "development" || ["tool", "proof", "harness"].includes(workspace.kind)) return true;
  return /^src\/(?:main|config)\.ts$/.test(pathInside(path, workspace)) || path in readers;
}
