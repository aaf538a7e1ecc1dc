import type { Breach } from "../breach.ts";
import type { Repository } from "../repository.ts";

const fieldPattern = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

/** Fields of log entries are in snake_case, like those of the gateway log and of tools' results, so that one search finds them all. */
export function* findOddLogFields({ sources }: Repository): Iterable<Breach> {
  for (const { path, role, logFields } of sources) {
    if (role !== "product" || !/^(?:services|packages|deploy)\//.test(path)) continue;
    for (const { name, line } of logFields) {
      if (fieldPattern.test(name)) continue;
      yield { path, line, problem: `logs the field "${name}"`, fix: "Name it in snake_case, such as request_id." };
    }
  }
}
