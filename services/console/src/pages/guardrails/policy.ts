import type { Arguments } from "../../api/control-plane.ts";

const settings = [
  "pii",
  "secrets",
  "prompt_injection",
  "keywords",
  "patterns",
  "rules",
  "external",
  "max_content_length",
  "apply_to_output",
  "trust_caller_instructions",
  "on_unavailable",
  "surfaces",
  "reversible_masks",
  "findings",
  "shadow",
] as const;

/** Settings of a policy, in the order of the form. */
export function policyNames(isOfEndpoint: boolean): readonly string[] {
  return isOfEndpoint ? [...settings, "replace"] : settings;
}

/** A policy for `svc_set_guardrails`, without unset members, since it refuses null. */
export function policyArguments(policy: Arguments): Arguments {
  const entries = [...settings, "replace"].map((name) => [name, policy[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined));
}
