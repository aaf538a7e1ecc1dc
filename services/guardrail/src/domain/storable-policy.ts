import type { CompiledPolicy } from "./policy/compile-policy.ts";
import { invalidPolicy, type PolicyDocument } from "./policy/policy-document.ts";

/** Refuses text that cannot be stored: Postgres keeps neither NUL nor half a surrogate pair. @throws `invalid_argument`. */
export function checkStorable({ keywords, patterns }: PolicyDocument): void {
  for (const [index, keyword] of keywords.entries()) checkText(keyword, `keywords[${index}]`);
  for (const [index, { name, pattern }] of patterns.entries()) {
    checkText(name, `patterns[${index}].name`);
    checkText(pattern, `patterns[${index}].pattern`);
  }
}

/** Refuses keywords that could never be found, for each would be a check that is silently off. @throws `invalid_argument`. */
export function checkFindable({ keywords }: CompiledPolicy): void {
  const [first] = keywords.unfindable;
  if (first === undefined) return;
  throw invalidPolicy(`keywords[${first}]`, "has nothing to look for: only blanks, hyphens or invisible characters.");
}

function checkText(text: string, field: string): void {
  if (text.isWellFormed() && !text.includes("\0")) return;
  throw invalidPolicy(field, "must not have NUL characters or unpaired surrogates.");
}
