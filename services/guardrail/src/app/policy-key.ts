import { createHash } from "node:crypto";
import type { PolicyDocument } from "../domain/policy/policy-document.ts";

const keys = new WeakMap<PolicyDocument, string>();

/** Names a policy by its content, the same in every thread; worked out once for each document. */
export function policyKeyOf(document: PolicyDocument): string {
  let key = keys.get(document);
  if (key === undefined) {
    key = createHash("sha256").update(JSON.stringify(document)).digest("base64url");
    keys.set(document, key);
  }
  return key;
}
