import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";

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

const checkDefaults = {
  pii: { mode: "off" },
  secrets: { mode: "off" },
  prompt_injection: { mode: "off" },
  keywords: [],
  patterns: [],
  apply_to_output: false,
};
const shadowDefaults = { ...checkDefaults, rules: [] };
const policyDefaults = {
  ...shadowDefaults,
  reversible_masks: false,
  findings: "plain",
  shadow: null,
  external: [],
  max_content_length: null,
  trust_caller_instructions: false,
  on_unavailable: "closed",
  surfaces: ["chat"],
  replace: false,
};

/**
 * Whether an owner's guardrail policy equals the wanted one. Absent settings of a wanted policy have their defaults; those inside
 * a check were filled in when it was saved.
 */
export function isSamePolicy(wanted: JsonObject, current: JsonObject): boolean {
  return isSameUnder(policyDefaults, wanted, current);
}

/** Compares settings without a default as well, so that a later one is not overlooked. */
function isSameUnder(defaults: JsonObject, wanted: JsonObject, current: JsonObject): boolean {
  return [...new Set([...Object.keys(defaults), ...Object.keys(wanted)])].every((name) =>
    isSameMember(name, wanted[name] ?? defaults[name], current[name] ?? defaults[name]),
  );
}

function isSameMember(name: string, wanted: unknown, current: unknown): boolean {
  if (name === "patterns") return isPairwise(wanted, current, hasMembers);
  if (name === "rules") return isPairwise(wanted, current, (want, is) => isSameUnder(checkDefaults, want, is));
  if (name === "external") return isPairwise(wanted, current, isSameExternal);
  if (!isJsonObject(wanted) || !isJsonObject(current)) return isSameSetting(wanted, current);
  return name === "shadow" ? isSameUnder(shadowDefaults, wanted, current) : hasMembers(wanted, current);
}

/** Compares an external guardrail; its secret cannot be read, so only its presence counts. */
function isSameExternal(wanted: JsonObject, current: JsonObject): boolean {
  const { secret, secret_kept: isKept, ...settings } = wanted;
  const hasSecret = (secret ?? null) !== null || isKept === true;
  return hasSecret === (current["secret_kept"] === true) && hasMembers(settings, current);
}

function hasMembers(wanted: JsonObject, current: JsonObject): boolean {
  return Object.entries(wanted).every(([member, value]) => isSameSetting(value, current[member]));
}

type IsSame = (wanted: JsonObject, current: JsonObject) => boolean;

function isPairwise(wanted: unknown, current: unknown, isSame: IsSame): boolean {
  if (!Array.isArray(wanted) || !Array.isArray(current)) return isSameSetting(wanted, current);
  return (
    wanted.length === current.length &&
    wanted.every((member: unknown, index) => {
      const is: unknown = current[index];
      return isJsonObject(member) && isJsonObject(is) && isSame(member, is);
    })
  );
}
