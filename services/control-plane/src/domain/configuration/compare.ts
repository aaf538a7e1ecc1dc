import { isJsonObject } from "@gatehouse/json-rpc";

/** Whether two JSON values mean the same setting: absent members count as null, and the order of members does not count. */
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

const policyDefaults: Readonly<Record<string, unknown>> = {
  pii: { mode: "off" },
  secrets: { mode: "off" },
  prompt_injection: { mode: "off" },
  keywords: [],
  patterns: [],
  max_content_length: null,
  apply_to_output: false,
  trust_caller_instructions: false,
  on_unavailable: "closed",
  surfaces: ["chat"],
  replace: false,
};

/**
 * Whether an owner's guardrail policy is the one that is wanted. A wanted policy is whole, so that what it does not name has
 * its default; inside a check, what it does not name was filled in when it was saved.
 */
export function isSamePolicy(wanted: Readonly<Record<string, unknown>>, current: Readonly<Record<string, unknown>>) {
  return Object.keys(policyDefaults).every((name) => {
    const [want, is] = [wanted[name] ?? policyDefaults[name], current[name] ?? policyDefaults[name]];
    if (isJsonObject(want) && isJsonObject(is)) {
      return Object.entries(want).every(([member, value]) => isSameSetting(value, is[member]));
    }
    if (name === "patterns" && Array.isArray(want) && Array.isArray(is)) return arePatternsSame(want, is);
    return isSameSetting(want, is);
  });
}

function arePatternsSame(wanted: readonly unknown[], current: readonly unknown[]): boolean {
  return (
    wanted.length === current.length &&
    wanted.every((pattern, index) => {
      const is = current[index];
      if (!isJsonObject(pattern) || !isJsonObject(is)) return false;
      return Object.entries(pattern).every(([member, value]) => isSameSetting(value, is[member]));
    })
  );
}
