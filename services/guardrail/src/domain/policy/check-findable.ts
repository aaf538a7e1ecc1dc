import type { CompiledPolicy } from "./compile-policy.ts";
import { invalidPolicy } from "./policy-document.ts";

/**
 * Refuses keywords that could never be found, of the policy, its rules and the policy on trial: each would be a check that is
 * silently off. @throws `invalid_argument`.
 */
export function checkFindable({ keywords, rules, shadow }: CompiledPolicy, place = ""): void {
  const [first] = keywords.unfindable;
  if (first !== undefined) {
    throw invalidPolicy(
      `${place}keywords[${first}]`,
      "has nothing to look for: it is empty, or has only blanks, hyphens, dividing dots or invisible characters.",
    );
  }
  for (const [index, { policy }] of rules.entries()) checkFindable(policy, `${place}rules[${index}].`);
  if (shadow !== undefined) checkFindable(shadow, `${place}shadow.`);
}
