import type { CompiledPolicy } from "./compile-policy.ts";
import { invalidPolicy } from "./policy-document.ts";

/** Refuses keywords that could never be found, for each would be a check that is silently off. @throws `invalid_argument`. */
export function checkFindable({ keywords }: CompiledPolicy): void {
  const [first] = keywords.unfindable;
  if (first === undefined) return;
  throw invalidPolicy(
    `keywords[${first}]`,
    "has nothing to look for: only blanks, hyphens, dividing dots or invisible characters.",
  );
}
