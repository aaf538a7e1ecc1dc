import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import { toPolicyForm } from "./policy-form.ts";

/** Whether two JSON values are the same setting: absent members equal null, and the order of members is ignored. */
export function isSameSetting(wanted: unknown, current: unknown): boolean {
  if (wanted === undefined || wanted === null) return current === undefined || current === null;
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(current) &&
      wanted.length === current.length &&
      wanted.every((member, index) => isSameSetting(member, current[index]))
    );
  }
  if (!isJsonObject(wanted)) return wanted === current;
  if (!isJsonObject(current)) return false;
  return [...new Set([...Object.keys(wanted), ...Object.keys(current)])].every((name) =>
    isSameSetting(wanted[name], current[name]),
  );
}

/** Values of the settings that null sets to a default, as operations show them. */
const nullDefaults: JsonObject = {
  allowed_parameters: [],
  denied_tools: [],
  on_tools_changed: "warn",
  session_mode: "per_token",
  pass_metadata: false,
  call_timeout_ms: 300_000,
  list_timeout_ms: 5_000,
};

/** A wanted setting with null replaced by the setting's default, if it has one. */
export function withNullDefault(name: string, wanted: unknown): unknown {
  return wanted === null ? (nullDefaults[name] ?? null) : wanted;
}

/** Settings of a policy that it may have and a document may leave out. */
const policyMembers = [...Object.keys(toPolicyForm({}, "")), "max_content_length", "shadow"];

/** Whether an owner's guardrail policy equals the wanted one: a policy is replaced whole, so absent settings have their defaults. */
export function isSamePolicy(wanted: JsonObject, current: JsonObject, projectType: string): boolean {
  const want = toPolicyForm(wanted, projectType);
  const is = toPolicyForm(current, projectType);
  // The owner shows more than the policy, such as where it comes from.
  const names = new Set([...policyMembers, ...Object.keys(want)]);
  const isSame = [...names].every((name) => name === "external" || isSameSetting(want[name], is[name]));
  return isSame && isSameSetting(withPresence(want["external"]), withPresence(is["external"]));
}

/** External guardrails whose secrets, which cannot be read, are only present or absent. */
function withPresence(external: unknown): unknown {
  const list: readonly unknown[] = Array.isArray(external) ? external : [];
  return list.filter(isJsonObject).map(({ secret, secret_kept: isKept, ...settings }) => {
    return { ...settings, hasSecret: (secret ?? null) !== null || isKept === true };
  });
}
