import { mergePolicies } from "./merge-policies.ts";
import type { PolicyDocument } from "./policy-document.ts";

const checks = [
  "pii",
  "secrets",
  "prompt_injection",
  "keywords",
  "patterns",
  "external",
  "rules",
  "max_content_length",
  "apply_to_output",
] as const satisfies readonly (keyof PolicyDocument)[];

/** The checks that are milder under an endpoint's policy alone than with its project's beside it. */
export function droppedChecks(project: PolicyDocument, endpoint: PolicyDocument): readonly string[] {
  const together = mergePolicies(project, endpoint);
  // Merged with itself, so that the same settings are put in the same words.
  const alone = mergePolicies(endpoint, endpoint);
  return checks.filter((name) => inAnyOrder(together[name]) !== inAnyOrder(alone[name]));
}

/** Lists of a policy are sets. */
function inAnyOrder(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    Array.isArray(part) ? part.map((item) => JSON.stringify(item)).toSorted() : part,
  );
}
