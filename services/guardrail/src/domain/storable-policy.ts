import { invalidPolicy, type PolicyDocument } from "./policy/policy-document.ts";

/** Refuses text that cannot be stored: Postgres keeps neither NUL nor half a surrogate pair. @throws `invalid_argument`. */
export function checkStorable({ keywords, patterns }: PolicyDocument): void {
  for (const [index, keyword] of keywords.entries()) checkText(keyword, `keywords[${index}]`);
  for (const [index, { name, pattern }] of patterns.entries()) {
    checkText(name, `patterns[${index}].name`);
    checkText(pattern, `patterns[${index}].pattern`);
  }
}

function checkText(text: string, field: string): void {
  if (text.isWellFormed() && !text.includes("\0")) return;
  throw invalidPolicy(field, "must not have NUL characters or unpaired surrogates.");
}
