import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import { isProjectType, surfaceOfProject } from "@gatehouse/principal";

/** Entities of personal data that a policy checks where it names none, as svc_set_guardrails documents. */
const defaultEntities = ["api_key", "credit_card", "email", "iban", "ip_address", "phone_number"];

/**
 * A guardrail policy in one form: defaults filled in, and lists without an order sorted. The defaults are those of the policies'
 * owner: `policy-document-suite.ts` of tests/e2e holds each of them against what the owner shows.
 */
export function toPolicyForm(given: JsonObject, projectType: string): JsonObject {
  const policy = withoutNulls(given);
  return {
    findings: "plain",
    on_unavailable: "closed",
    reversible_masks: false,
    trust_caller_instructions: false,
    replace: false,
    ...toRuledChecks(policy),
    surfaces: toSet(policy["surfaces"] ?? (isProjectType(projectType) ? [surfaceOfProject[projectType]] : [])),
    external: objectsIn(policy["external"]).map(toExternal),
    ...(isJsonObject(policy["shadow"]) && { shadow: toRuledChecks(withoutNulls(policy["shadow"])) }),
  };
}

/** Checks with rules, of a policy or of one on trial. */
function toRuledChecks(given: JsonObject): JsonObject {
  return { ...given, ...toChecks(given, false), rules: objectsIn(given["rules"]).map(toRule) };
}

function toChecks(checks: JsonObject, appliesToOutput: boolean): JsonObject {
  const { secrets, prompt_injection: injection } = checks;
  return {
    pii: toPersonalData(objectOr(checks["pii"])),
    secrets: { mode: "off", ...objectOr(secrets), except: toSet(objectOr(secrets)["except"] ?? []) },
    prompt_injection: { mode: "off", threshold: "default", ...objectOr(injection) },
    keywords: checks["keywords"] ?? [],
    patterns: objectsIn(checks["patterns"]).map(toPattern),
    apply_to_output: checks["apply_to_output"] ?? appliesToOutput,
  };
}

/** An entity with an action is checked even where the policy does not name it. */
function toPersonalData(pii: JsonObject): JsonObject {
  const actions = objectOr(pii["actions"]);
  const named = Array.isArray(pii["entities"]) ? (pii["entities"] as readonly unknown[]) : defaultEntities;
  const acted = Object.keys(actions).filter((entity) => actions[entity] !== "off" && entity !== "national_id");
  return { mode: "off", ...pii, entities: toSet([...named, ...acted]), actions };
}

function toPattern(pattern: JsonObject): JsonObject {
  const { pattern: text, path, tool } = pattern;
  return { name: text ?? path ?? tool ?? "", mode: "block", ...pattern };
}

function toRule(rule: JsonObject): JsonObject {
  const when = objectOr(rule["when"]);
  const sides: readonly unknown[] = Array.isArray(when["sides"]) ? when["sides"] : [];
  const scope = Object.entries(when).map(([name, value]) => [
    name,
    name === "headers" ? toHeaders(value) : toSet(value),
  ]);
  return { ...rule, ...toChecks(rule, sides.includes("output")), when: Object.fromEntries(scope) as JsonObject };
}

function toHeaders(headers: unknown): JsonObject {
  return Object.fromEntries(
    Object.entries(objectOr(headers)).map(([name, values]) => [name.toLowerCase(), toSet(values)]),
  );
}

function toExternal(guardrail: JsonObject): JsonObject {
  const defaults = { when: "before", mode: "block", timeout_ms: 2_000, on_failure: "closed" };
  return { ...defaults, ...guardrail, sides: toSet(guardrail["sides"] ?? ["input"]) };
}

/** A list without an order; another value stays. */
function toSet(value: unknown): unknown {
  return Array.isArray(value) ? [...new Set(value as readonly unknown[])].toSorted(byText) : value;
}

function byText(one: unknown, other: unknown): number {
  const [left, right] = [String(one), String(other)];
  return left < right ? -1 : Number(left > right);
}

function objectOr(value: unknown): JsonObject {
  return isJsonObject(value) ? withoutNulls(value) : {};
}

function objectsIn(value: unknown): readonly JsonObject[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.filter(isJsonObject).map(withoutNulls);
}

/** Null is an absent setting. */
function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}
