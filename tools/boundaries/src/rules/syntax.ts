import type { Finding } from "../finding.ts";
import type { Repository } from "../repository.ts";

/** A file that cannot be parsed cannot be checked. */
export function* findSyntaxErrors({ sources }: Repository): Iterable<Finding> {
  for (const { path, syntaxError } of sources) {
    if (syntaxError !== undefined)
      yield { path, line: 1, problem: `does not parse: ${syntaxError}`, mend: "Mend the syntax." };
  }
}
